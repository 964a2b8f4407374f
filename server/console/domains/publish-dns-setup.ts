import { z } from "zod";

import { publishRecords } from "#server/core/domains/dns-setup/dns-setup.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SetupAccess, SetupResults, toAccess } from "./dns-setup.ts";

export const publishDnsSetup = defineEndpoint({
  method: "POST",
  path: "/console/api/domains/{id}/dns-setup/publish",
  summary: "Publish a domain's records at its DNS provider",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  body: SetupAccess.extend({
    digest: z.string().max(64),
    confirmed: z.array(z.string().max(40)).max(40),
  }),
  response: SetupResults,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, body: { digest, confirmed, ...access } }) => ({
    results: await publishRecords(ctx, params.id, { ...toAccess(access), digest, confirmed }),
  }),
});

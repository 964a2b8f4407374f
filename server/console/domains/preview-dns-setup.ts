import { z } from "zod";

import { previewChanges } from "#server/core/domains/dns-setup/dns-setup.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SetupAccess, SetupPlan, toAccess } from "./dns-setup.ts";

export const previewDnsSetup = defineEndpoint({
  method: "POST",
  path: "/console/api/domains/{id}/dns-setup/preview",
  summary: "List the changes that publish a domain's records at its DNS provider",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  body: SetupAccess,
  response: SetupPlan,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params, body }) => {
    const { zone, digest, changes } = await previewChanges(ctx, params.id, toAccess(body));
    return {
      ...{ zone, digest },
      changes: changes.map(({ needsConfirmation, ...change }) => ({
        ...change,
        needs_confirmation: needsConfirmation,
      })),
    };
  },
});

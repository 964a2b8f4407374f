import { z } from "zod";

import { getDomain } from "#server/core/domains/domains/domains.ts";
import { verifyDomain as verify } from "#server/core/domains/domains/verify-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DomainStatus } from "./domain-row.ts";

export const verifyDomain = defineEndpoint({
  method: "POST",
  path: "/console/api/domains/{id}/verify",
  summary: "Check a domain's DNS records now",
  permission: "console",
  privilege: "domains",
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: z.object({ status: DomainStatus }),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params }) => {
    await verify(ctx, params.id, { via: "console" });
    const { domain } = await getDomain(ctx, params.id);
    return { status: domain.status };
  },
});

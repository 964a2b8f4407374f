import { z } from "zod";

import { getDomain as get } from "#server/core/domains/domains/domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DomainDetail, domainDetail } from "./domain-detail.ts";

export const getDomain = defineEndpoint({
  method: "GET",
  path: "/console/api/domains/{id}",
  summary: "Get a domain, its records, and the result of the last check",
  permission: "console",
  privilege: ["api_controls", "domains"],
  params: z.object({ id: z.uuid() }),
  notFound: "Domain not found",
  response: DomainDetail,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => domainDetail(await get(ctx, params.id)),
});

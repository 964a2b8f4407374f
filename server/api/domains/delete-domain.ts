import { z } from "zod";

import { deleteDomain as remove } from "#server/core/domains/domains/deleted-domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainReference } from "./domain-object.ts";

export const deleteDomain = defineEndpoint({
  method: "DELETE",
  path: "/domains/{id}",
  summary: "Delete a domain",
  description:
    "API keys restricted to the domain are revoked and their scheduled emails canceled. Other scheduled emails from the domain fail when they are due.",
  permission: "full_access",
  privilege: "owner",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  response: DomainReference.extend({ deleted: z.literal(true).describe("Always `true`") }),
  refusals: ["not_found", "resource_in_use"],
  async handle({ ctx, params: { id } }) {
    await remove(ctx, id, { via: "api" });
    return { object: "domain" as const, id, deleted: true as const };
  },
});

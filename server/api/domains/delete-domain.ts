import { z } from "zod";

import { deleteDomain as remove } from "#server/core/domains/domains/delete-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainNamed } from "./domain-object.ts";

export const deleteDomain = defineEndpoint({
  method: "DELETE",
  path: "/domains/{id}",
  summary: "Delete a domain",
  description:
    "For keys of a company's owner. Keys that are restricted to the domain are revoked and what they scheduled is canceled; other scheduled emails of the domain fail when they are due.",
  permission: "full_access",
  // An owner holds every privilege, Domains included.
  privilege: "owner",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  response: DomainNamed.extend({ deleted: z.literal(true).describe("It is gone") }),
  refusals: ["not_found", "resource_in_use"],
  async handle({ ctx, params: { id } }) {
    await remove(ctx, id, { via: "api" });
    return { object: "domain" as const, id, deleted: true as const };
  },
});

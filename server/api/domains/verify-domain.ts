import { verifyDomain as verify } from "#server/core/domains/domains/verify-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainNamed } from "./domain-object.ts";

export const verifyDomain = defineEndpoint({
  method: "POST",
  path: "/domains/{id}/verify",
  summary: "Look for a domain's records now",
  description:
    "The check runs during the call; read the result with `GET /domains/{id}`. Until the ownership is proven it looks for the Ownership record and, once that is there, sets the domain up for sending. Then, and ever after, it looks for SPF, DKIM, DMARC and MX. While the Ownership record is not there the answer says what was found instead.",
  permission: "full_access",
  privilege: "domains",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  response: DomainNamed,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id } }) {
    await verify(ctx, id, { via: "api" });
    return { object: "domain" as const, id };
  },
});

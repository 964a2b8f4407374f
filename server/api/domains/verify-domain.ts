import { verifyDomain as verify } from "#server/core/domains/domains/verify-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainReference } from "./domain-object.ts";

export const verifyDomain = defineEndpoint({
  method: "POST",
  path: "/domains/{id}/verify",
  summary: "Verify a domain",
  description:
    "Checks the domain's DNS records during the call. Retrieve the result with `GET /domains/{id}`. Until ownership is verified, the Ownership record is checked; if it is missing, the error says what was found instead. Once it is found, the domain is set up for sending and the SPF, DKIM, DMARC and MX records are checked.",
  permission: "full_access",
  privilege: "domains",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  response: DomainReference,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id } }) {
    await verify(ctx, id, { via: "api" });
    return { object: "domain" as const, id };
  },
});

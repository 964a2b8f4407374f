import { z } from "zod";

import { updateDomain as update } from "#server/core/domains/domains/domains.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainReference } from "./domain-object.ts";
import { readTracking, TRACKING_FIELDS } from "./tracking-fields.ts";

export const updateDomain = defineEndpoint({
  method: "PATCH",
  path: "/domains/{id}",
  summary: "Update a domain",
  description:
    "Changes the tracking of emails sent from now on. Tracking applies to HTML only. Absent fields keep their values. After setting `tracking_subdomain`, publish the domain's Tracking record and verify the domain.",
  permission: "full_access",
  privilege: "domains",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  body: z.object(TRACKING_FIELDS).prefault({}),
  response: DomainReference,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, readTracking(body));
    return { object: "domain" as const, id };
  },
});

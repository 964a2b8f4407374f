import { z } from "zod";

import { updateDomain as update } from "#server/core/domains/domains/update-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { emptyIsNull } from "#server/http/text-fields.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainReference } from "./domain-object.ts";

/** Null counts as absent. */
const Tracking = z.boolean().nullish().meta({ type: "boolean" });

/** The same rules as in the console are checked when it is stored. */
const TrackingSubdomain = emptyIsNull(z.string().trim().toLowerCase().nullable());

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
  body: z
    .object({
      open_tracking: Tracking.describe("Track opens with an invisible image"),
      click_tracking: Tracking.describe("Track clicks by redirecting links through this server"),
      tracking_subdomain: TrackingSubdomain.optional().describe(
        "Host of tracking and unsubscribe links: a label below the domain, such as `links`. Null for this server's own host. Links use it once its record is verified",
      ),
    })
    .prefault({}),
  response: DomainReference,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, {
      openTracking: body.open_tracking ?? undefined,
      clickTracking: body.click_tracking ?? undefined,
      trackingSubdomain: body.tracking_subdomain,
    });
    return { object: "domain" as const, id };
  },
});

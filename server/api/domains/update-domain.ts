import { z } from "zod";

import { updateDomain as update } from "#server/core/domains/domains/update-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainReference } from "./domain-object.ts";

/** Null counts as absent. */
const Tracking = z.boolean().nullish().meta({ type: "boolean" });

export const updateDomain = defineEndpoint({
  method: "PATCH",
  path: "/domains/{id}",
  summary: "Update a domain",
  description:
    "Turns open and click tracking on or off for emails sent from now on. Tracking applies to HTML only. Absent fields keep their values.",
  permission: "full_access",
  privilege: "domains",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  body: z
    .object({
      open_tracking: Tracking.describe("Track opens with an invisible image"),
      click_tracking: Tracking.describe("Track clicks by redirecting links through this server"),
    })
    .prefault({}),
  response: DomainReference,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, {
      openTracking: body.open_tracking ?? undefined,
      clickTracking: body.click_tracking ?? undefined,
    });
    return { object: "domain" as const, id };
  },
});

import { z } from "zod";

import { updateDomain as update } from "#server/core/domains/domains/update-domain.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { DOMAIN_NOT_FOUND, DomainId, DomainNamed } from "./domain-object.ts";

/** Null stands for a field that was left out. */
const Tracking = z.boolean().nullish().meta({ type: "boolean" });

export const updateDomain = defineEndpoint({
  method: "PATCH",
  path: "/domains/{id}",
  summary: "Switch open and click tracking",
  description:
    "Holds for the HTML of emails that are handed over from now on. What is left out stays as it is.",
  permission: "full_access",
  privilege: "domains",
  params: DomainId,
  notFound: DOMAIN_NOT_FOUND,
  body: z
    .object({
      open_tracking: Tracking.describe("Notice that an email was opened, by an image in it"),
      click_tracking: Tracking.describe("Notice which links are followed, by leading them here"),
    })
    .prefault({}),
  response: DomainNamed,
  refusals: ["not_found", "invalid"],
  async handle({ ctx, params: { id }, body }) {
    await update(ctx, id, {
      openTracking: body.open_tracking ?? undefined,
      clickTracking: body.click_tracking ?? undefined,
    });
    return { object: "domain" as const, id };
  },
});

import { z } from "zod";

import { emptyIsNull } from "#server/http/text-fields.ts";

/** Null counts as absent. */
const Tracking = z.boolean().nullish().meta({ type: "boolean" });

/** The same rules as in the console are checked when it is stored. */
const TrackingSubdomain = emptyIsNull(z.string().trim().toLowerCase().nullable());

/** Fields of a request that creates or updates a domain. */
export const TRACKING_FIELDS = {
  open_tracking: Tracking.describe("Track opens with an invisible image"),
  click_tracking: Tracking.describe("Track clicks by redirecting links through this server"),
  tracking_subdomain: TrackingSubdomain.optional().describe(
    "Host of tracking and unsubscribe links: a label below the domain, such as `links`. Null for this server's own host. Links use it once its record is verified",
  ),
};

type Fields = {
  open_tracking?: boolean | null | undefined;
  click_tracking?: boolean | null | undefined;
  tracking_subdomain?: string | null | undefined;
};

export const readTracking = (body: Fields) => ({
  openTracking: body.open_tracking ?? undefined,
  clickTracking: body.click_tracking ?? undefined,
  trackingSubdomain: body.tracking_subdomain,
});

import type { Domain } from "#drizzle/schema/index.ts";

type Tracked = Pick<Domain, "name" | "trackingSubdomain">;

/** The host of a domain's tracking and unsubscribe links; null if they use this server's own. */
export const trackingHost = ({ name, trackingSubdomain }: Tracked): string | null =>
  trackingSubdomain === null ? null : `${trackingSubdomain}.${name}`;

import { and, eq, isNotNull } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { trackingHost } from "#server/core/domains/records/tracking-host.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/** RFC 1123 section 2.1. One label, so that two domains never share a host. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 1035 section 2.3.4. */
const NAME_LENGTH_MAX = 253;
/** Hosts of a domain that have another use. */
const RESERVED = ["autoconfig", "autodiscover", "mta-sts", "bounces", "mail", "www"];

/**
 * Checks the host that a domain's tracking links shall use.
 *
 * @throws Refusal `invalid`
 */
export async function requireTrackingHost(
  db: Db,
  {
    name,
    trackingSubdomain: label = null,
  }: { name: string; trackingSubdomain?: string | null | undefined },
): Promise<void> {
  const host = trackingHost({ name, trackingSubdomain: label });
  if (label === null || host === null) return;
  if (!LABEL.test(label) || host.length > NAME_LENGTH_MAX)
    throw problem("must be one label of lowercase letters, digits and dashes, such as links");
  if (RESERVED.includes(label)) throw problem(`can't be ${label}, which has another use`);
  const { hostname, baseUrl } = config();
  const isInUse =
    [hostname, new URL(baseUrl).hostname].includes(host) ||
    (await db.$count(domains, and(eq(domains.name, host), isNotNull(domains.ownershipProvenAt)))) >
      0;
  if (isInUse) throw problem(`can't be ${label}: ${host} is in use for something else`);
}

const problem = (text: string) => new Refusal("invalid", `tracking_subdomain: ${text}`);

import { and, eq } from "drizzle-orm";

import { type Domain, domainFindings, domains } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";

import { publishDomainEvent } from "./internal/publish-domain-event.ts";
import { requireTrackingHost } from "./internal/require-tracking-host.ts";
import { lockDomain } from "./require-domain.ts";

const SETTINGS = [
  ...(["openTracking", "clickTracking", "oneClickUnsubscribe", "trackingSubdomain"] as const),
];

type Settings = Pick<Domain, (typeof SETTINGS)[number]>;

/** Omitted values stay. A tracking subdomain of null: links use this server's own host. */
export type DomainChanges = { [Name in keyof Settings]?: Settings[Name] | undefined };

/**
 * Changes the settings of a domain's future emails. Unchanged values cause neither an event nor an audit entry.
 *
 * @throws Refusal `not_found`; `invalid` if the tracking subdomain can't be used
 */
export async function updateDomain(
  ctx: Context,
  id: string,
  changes: DomainChanges,
): Promise<void> {
  const isChanged = await inTransaction(ctx, async (ctx) => {
    const domain = await lockDomain(ctx, id);
    const changed = SETTINGS.flatMap((name) => {
      const to = changes[name];
      return to === undefined || to === domain[name] ? [] : [[name, to] as const];
    });
    if (changed.length === 0) return false;
    const to: Partial<Settings> = Object.fromEntries(changed);
    if (to.trackingSubdomain !== undefined)
      await changeTrackingHost(ctx, { ...domain, trackingSubdomain: to.trackingSubdomain });
    await ctx.db.update(domains).set(to).where(eq(domains.id, domain.id));
    await recordAudit(ctx, "domain.updated", { domainId: domain.id, name: domain.name, ...to });
    await publishDomainEvent(ctx, "domain.updated", domain);
    return true;
  });
  if (isChanged) wakeWebhooks(ctx.db);
}

/** What was found at the former host says nothing about the new one. */
async function changeTrackingHost(ctx: Context, domain: Domain): Promise<void> {
  await requireTrackingHost(ctx.db, domain);
  const { domainId, record } = domainFindings;
  await ctx.db.delete(domainFindings).where(and(eq(domainId, domain.id), eq(record, "tracking")));
}

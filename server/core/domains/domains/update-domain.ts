import { eq } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";

import { publishDomainEvent } from "./internal/publish-domain-event.ts";
import { lockDomain } from "./require-domain.ts";

export type DomainChanges = Partial<Pick<Domain, "openTracking" | "clickTracking">>;

/**
 * Changes the tracking of a domain's future emails. Omitted or unchanged values cause neither an event nor an
 * audit entry.
 *
 * @throws Refusal `not_found`
 */
export async function updateDomain(
  ctx: Context,
  id: string,
  { openTracking, clickTracking }: DomainChanges,
): Promise<void> {
  const isChanged = await inTransaction(ctx, async (ctx) => {
    const domain = await lockDomain(ctx, id);
    const to = {
      openTracking: openTracking ?? domain.openTracking,
      clickTracking: clickTracking ?? domain.clickTracking,
    };
    if (to.openTracking === domain.openTracking && to.clickTracking === domain.clickTracking)
      return false;
    await ctx.db.update(domains).set(to).where(eq(domains.id, domain.id));
    await recordAudit(ctx, "domain.updated", { domainId: domain.id, name: domain.name, ...to });
    await publishDomainEvent(ctx, "domain.updated", domain);
    return true;
  });
  if (isChanged) wakeWebhooks(ctx.db);
}

import { and, eq, type SQL, sql } from "drizzle-orm";

import { type Webhook, webhooks } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** The company's webhook of this id, as a condition. What is no id names nothing. */
export const isWebhook = (ctx: Context, id: string): SQL | undefined =>
  isUuid(id) ? and(eq(webhooks.id, id), eq(webhooks.companyId, ctx.companyId)) : sql`false`;

/**
 * The company's webhook of this id.
 *
 * @throws Refusal `not_found`
 */
export async function requireWebhook(ctx: Context, id: string): Promise<Webhook> {
  const [webhook] = await ctx.db.select().from(webhooks).where(isWebhook(ctx, id));
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/**
 * As `requireWebhook`, and nobody else changes it until the transaction ends. Whoever also writes its
 * events takes this lock first.
 */
export async function lockWebhook(ctx: Context, id: string): Promise<Webhook> {
  const [webhook] = await ctx.db
    .select()
    .from(webhooks)
    .where(isWebhook(ctx, id))
    .for("no key update");
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/** @throws Refusal `invalid` for what a disabled webhook cannot do */
export function requireEnabled({ status }: Pick<Webhook, "status">): void {
  if (status === "disabled")
    throw new Refusal("invalid", "The webhook is disabled: enable it before you send events to it");
}

export const webhookNotFound = () => new Refusal("not_found", "Webhook not found");

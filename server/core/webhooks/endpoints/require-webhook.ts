import { and, eq, type SQL, sql } from "drizzle-orm";

import { type Webhook, webhooks } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { inMode } from "#server/core/shared/mode.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** Condition for the company's webhook with this id, in the caller's mode. Matches nothing if the id is invalid. */
export const isWebhook = (ctx: Context, id: string): SQL | undefined =>
  isUuid(id)
    ? and(eq(webhooks.id, id), eq(webhooks.companyId, ctx.companyId), inMode(ctx, webhooks.isTest))
    : sql`false`;

/**
 * Returns the company's webhook with this id.
 *
 * @throws Refusal `not_found`
 */
export async function requireWebhook(ctx: Context, id: string): Promise<Webhook> {
  const [webhook] = await ctx.db.select().from(webhooks).where(isWebhook(ctx, id));
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/**
 * Like `requireWebhook`, and locks the row until the transaction ends. Take this lock before those of its
 * events.
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

/** @throws Refusal `invalid` if the webhook is disabled */
export function requireEnabled({ status }: Pick<Webhook, "status">): void {
  if (status === "disabled")
    throw new Refusal("invalid", "The webhook is disabled. Enable it before you send events to it");
}

export const webhookNotFound = () => new Refusal("not_found", "Webhook not found");

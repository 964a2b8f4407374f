import { count, eq, sql } from "drizzle-orm";

import { mailboxes } from "#drizzle/schema/index.ts";
import { type Context, lockCompany } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { pluralize } from "#server/core/shared/text.ts";

const MB = 1024 * 1024;

/**
 * Requires that the company may have this many more mailboxes, and locks it until the transaction ends.
 *
 * @throws Refusal as `requirePlanRoom`, and `not_allowed` if deleted mailboxes use the plan's storage
 */
export async function requireRoom(ctx: Context, wanted = 1): Promise<void> {
  await requirePlanRoom(ctx, wanted);
  await requireRoomBesideDeleted(ctx);
}

/**
 * Locks the company, because two concurrent calls could both take the last place of the plan.
 *
 * @param wanted number of new mailboxes
 * @throws Refusal `account_inactive`, and `not_allowed` if the plan's limit would be exceeded
 */
export async function requirePlanRoom(ctx: Context, wanted = 1): Promise<void> {
  const { subscriptionActive, mailboxesMax: max } = await lockCompany(ctx);
  if (!subscriptionActive)
    throw new Refusal(
      "account_inactive",
      "The company has no active subscription, so it can't create mailboxes",
    );
  if (max === null) return;
  const [has] = await ctx.db
    .select({ all: count() })
    .from(mailboxes)
    .where(eq(mailboxes.companyId, ctx.companyId));
  if (has!.all + wanted > max)
    throw new Refusal(
      "not_allowed",
      `Your plan allows ${pluralize(max, "mailbox", "mailboxes")}. Delete one, or ask for a larger plan`,
    );
}

/**
 * Deleted mailboxes don't count, but their mail stays on disk. Without this limit, creating, filling and deleting mailboxes would
 * use ever more space.
 *
 * @throws Refusal `not_allowed` if deleted mailboxes store as much as the plan allows in all mailboxes
 */
async function requireRoomBesideDeleted(ctx: Context): Promise<void> {
  const [isFull] = await ctx.db.execute(sql`
    select from companies c
    where c.id = ${ctx.companyId} and c.mailboxes_max::float8 * c.quota_mb_max * ${MB} <=
      (select sum(storage_bytes)::float8 from deleted_items where company_id = c.id)`);
  if (isFull)
    throw new Refusal(
      "not_allowed",
      "Your deleted mailboxes use as much storage as your plan allows. An owner can delete them permanently, on the Deleted page of the console",
    );
}

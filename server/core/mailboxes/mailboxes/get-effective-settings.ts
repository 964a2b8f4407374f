import { and, eq, gt, sql } from "drizzle-orm";

import { messages } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Rules } from "#server/core/mailboxes/mailbox-rules/compile-rules.ts";
import { getRules } from "#server/core/mailboxes/mailbox-rules/get-rules.ts";
import {
  type EffectivePolicy,
  readEffectivePolicies,
} from "#server/core/mailboxes/org-units/read-effective-policies.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";

import { requireMailbox } from "./require-mailbox.ts";
import { viewableMailboxes } from "./viewable-mailboxes.ts";

/** The policies, rules and sending limit that apply to a mailbox. */
export type EffectiveSettings = {
  policies: EffectivePolicy[];
  rules: Rules;
  /** Recipients that mail apps wrote to in the last 60 minutes, and the limit. */
  sending: { lastHour: number; hourlyMax: number; heldAt: string | null };
};

/** @throws Refusal `not_found`, also if `callerPrivileges` don't include viewing it */
export async function getEffectiveSettings(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
): Promise<EffectiveSettings> {
  const mailbox = await requireMailbox(ctx, named, viewableMailboxes(callerPrivileges));
  const { address, orgUnitId, sendingHeldAt } = mailbox;
  const [policies, rules, lastHour, { hourly_recipients_mailbox: hourlyMax }] = await Promise.all([
    readEffectivePolicies(ctx, callerPrivileges, orgUnitId),
    getRules(ctx, address),
    sentWithinHour(ctx, address),
    currentSettings(ctx.db),
  ]);
  return { policies, rules, sending: { lastHour, hourlyMax, heldAt: sendingHeldAt } };
}

async function sentWithinHour(ctx: Context, address: string): Promise<number> {
  const [sent] = await ctx.db
    .select({
      recipients: sql<number>`coalesce(sum(${messages.recipientCount}), 0)`.mapWith(Number),
    })
    .from(messages)
    .where(
      and(
        eq(messages.mailbox, address),
        eq(messages.origin, "submission"),
        gt(messages.createdAt, sql`clock_timestamp() - interval '1 hour'`),
      ),
    );
  return sent!.recipients;
}

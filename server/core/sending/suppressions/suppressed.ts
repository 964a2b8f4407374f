import { sql } from "drizzle-orm";

import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { simulatedRecipient } from "#server/core/sending/test-mode/simulated-recipient.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/** Why addresses are suppressed. */
export const SUPPRESSION_ORIGINS = suppressions.origin.enumValues;

export type Suppressed = { origin: Suppression["origin"]; reason: string };

/** The reasons as recorded in an email's history. */
export const SUPPRESSION_REASONS = {
  bounce: "The address is on the suppression list because an earlier email to it bounced",
  complaint: "The address is on the suppression list because its owner reported an email as spam",
  manual: "The address is on the suppression list because it was added manually",
  unsubscribe: "The address is on the suppression list because its owner unsubscribed",
} as const;

/** Origins in the API and in webhooks, whose clients know three of them. */
export const API_ORIGINS = {
  bounce: "bounce",
  complaint: "complaint",
  manual: "manual",
  unsubscribe: "manual",
} as const satisfies Record<Suppressed["origin"], string>;

/**
 * SQL for whether the suppression `s` applies. Those of the appliance's own company don't: no admin can see them, and a bounce
 * or complaint must not silence password resets, security notices and alarms for good.
 */
export const isSuppressionApplied = sql`(
  select c.purpose <> 'platform' from companies c where c.id = s.company_id)`;

/** Returns those of the addresses that are on their company's suppression list, if it applies. */
export async function findSuppressed(
  db: Db,
  asked: { companyId: string; email: string }[],
): Promise<({ companyId: string; email: string } & Suppressed)[]> {
  if (asked.length === 0) return [];
  const rows = await db.execute<{ companyId: string; email: string; origin: Suppressed["origin"] }>(
    sql`
    select s.company_id as "companyId", s.email, s.origin
    from (select distinct "companyId", email from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
        as t("companyId" uuid, email text)) asked
      join suppressions s on s.company_id = asked."companyId" and s.email = asked.email
    where ${isSuppressionApplied}`,
  );
  return rows.map((row) => ({ ...row, reason: SUPPRESSION_REASONS[row.origin] }));
}

/** Returns the addresses that are on the company's suppression list. */
export async function filterSuppressed(ctx: Context, addresses: string[]): Promise<Set<string>> {
  const rows = await ctx.db.execute<{ email: string }>(sql`
    select s.email
    from jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb) as given(email)
      join suppressions s on s.company_id = ${ctx.companyId} and s.email = given.email`);
  return new Set(rows.map(({ email }) => email));
}

/** Recipients to send to, and those to skip. */
export type SplitRecipients = {
  remaining: string[];
  skipped: { recipient: string; reason: string }[];
};

/**
 * Splits recipients by the suppression list, and those of test emails also by what their addresses simulate.
 *
 * @param listed the reason why an address is on the company's list, if it is
 */
export function splitSuppressed(
  recipients: string[],
  { isTest, listed }: { isTest: boolean; listed: (address: string) => string | undefined },
): SplitRecipients {
  const reasonOf = (address: string) =>
    isTest && isSimulated(address) ? SUPPRESSION_REASONS.bounce : listed(address);
  const skipped = recipients.flatMap((recipient) => {
    const reason = reasonOf(recipient);
    return reason === undefined ? [] : { recipient, reason };
  });
  if (skipped.length === 0) return { remaining: recipients, skipped };
  return { remaining: recipients.filter((one) => reasonOf(one) === undefined), skipped };
}

const isSimulated = (address: string) =>
  simulatedRecipient(address, config().hostname).kind === "suppressed";

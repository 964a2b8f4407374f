import { eq } from "drizzle-orm";

import { type OrgUnit, orgUnits } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readQuotaMb } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockUnit } from "./require-unit.ts";

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 64;

/** A unit's own policies; null inherits. */
export type UnitPolicies = Pick<
  OrgUnit,
  | "defaultQuotaMb"
  | "imapAllowed"
  | "pop3Allowed"
  | "submissionAllowed"
  | "outsideAllowed"
  | "appPasswordsAllowed"
  | "passwordLengthMin"
  | "quarantineDigest"
  | "quarantineRelease"
>;

/**
 * Sets policies of a unit; those left out stay. They apply at the next sign-in and message; a password length
 * at the next password change, a default quota to new mailboxes.
 *
 * @throws Refusal `not_found`, `invalid`
 */
export async function setPolicies(
  ctx: Context,
  id: number,
  policies: Partial<UnitPolicies>,
): Promise<void> {
  requireUsable(policies);
  await inTransaction(ctx, async (ctx) => {
    const unit = await lockUnit(ctx, id);
    const changed = Object.fromEntries(
      Object.entries(policies).filter(([name, value]) => unit[name as keyof OrgUnit] !== value),
    );
    if (Object.keys(changed).length === 0) return;
    await ctx.db.update(orgUnits).set(changed).where(eq(orgUnits.id, id));
    await recordAudit(ctx, "unit.policies_changed", { unit: id, name: unit.name, changed });
  });
}

function requireUsable({ defaultQuotaMb, passwordLengthMin }: Partial<UnitPolicies>): void {
  if (typeof defaultQuotaMb === "number") readQuotaMb(defaultQuotaMb);
  if (typeof passwordLengthMin !== "number") return;
  const isUsable =
    Number.isInteger(passwordLengthMin) &&
    passwordLengthMin >= PASSWORD_LENGTH_MIN &&
    passwordLengthMin <= PASSWORD_LENGTH_MAX;
  if (!isUsable)
    throw new Refusal(
      "invalid",
      `password_length_min: must be a whole number from ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX}`,
    );
}

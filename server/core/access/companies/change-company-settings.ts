import { eq } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import { personAccount } from "#server/core/access/second-factors/factor-owner.ts";
import { getFactors, hasSecondFactor } from "#server/core/access/second-factors/get-factors.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { changeAllowedAddresses, onlyOwner } from "./change-allowed-addresses.ts";
import { setOutgoingScan } from "./outgoing-scan.ts";
import { setGreylisting } from "./greylisting.ts";

/** The session cookie's lifetime: 14 days. */
const SESSION_HOURS_MAX = 336;

const NAME_MAX = 200;

type Caller = { email: string; isOwner: boolean };

/** Omitted fields keep their values. */
export type CompanyChange = {
  name?: string | undefined;
  greylisting?: boolean | undefined;
  outgoingScan?: Company["outgoingScan"] | undefined;
  allowedAddresses?: string[] | undefined;
  sessionHoursMax?: number | undefined;
  secondFactorRequired?: boolean | undefined;
};

/**
 * Changes company settings, all or none, each with an audit entry. Only owners can relax the protection of
 * sign-in and API keys: make the second factor optional, lengthen sessions, or widen the allow-list.
 *
 * @throws Refusal `invalid` beginning with the field, `not_allowed`, `invalid_permission`
 */
export async function changeCompanySettings(
  ctx: Context,
  caller: Caller,
  change: CompanyChange,
): Promise<void> {
  const { name, greylisting, allowedAddresses, sessionHoursMax, secondFactorRequired } = change;
  await inTransaction(ctx, async (ctx) => {
    if (name !== undefined) await renameCompany(ctx, name);
    if (greylisting !== undefined) await setGreylisting(ctx, greylisting);
    if (change.outgoingScan !== undefined) await setOutgoingScan(ctx, change.outgoingScan);
    if (allowedAddresses) await asField(changeAllowedAddresses(ctx, caller, allowedAddresses));
    if (sessionHoursMax !== undefined) await changeSessionHours(ctx, caller, sessionHoursMax);
    if (secondFactorRequired !== undefined)
      await requireSecondFactor(ctx, caller, { isRequired: secondFactorRequired });
  });
}

async function asField(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.reason !== "invalid") throw error;
    throw new Refusal(error.reason, `allowed_addresses: ${error.message}`);
  });
}

/** @throws Refusal `invalid` beginning with `name` */
async function renameCompany(ctx: Context, text: string): Promise<void> {
  const name = readOneLine(text, "name", { max: NAME_MAX });
  await inTransaction(ctx, async (ctx) => {
    const { name: from } = await lockCompany(ctx);
    if (from === name) return;
    await ctx.db.update(companies).set({ name }).where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.renamed", { from, to: name });
  });
}

/**
 * Changes the maximum length of a console session. Existing sessions that are older end at once.
 *
 * @throws Refusal `invalid` beginning with `session_hours_max`; `invalid_permission`
 */
async function changeSessionHours(ctx: Context, { isOwner }: Caller, hours: number): Promise<void> {
  if (!Number.isInteger(hours) || hours < 1 || hours > SESSION_HOURS_MAX)
    throw new Refusal(
      "invalid",
      `session_hours_max: must be a whole number of hours from 1 to ${SESSION_HOURS_MAX}`,
    );
  await inTransaction(ctx, async (ctx) => {
    const { sessionHoursMax: from } = await lockCompany(ctx);
    if (from === hours) return;
    if (hours > from && !isOwner) throw onlyOwner("lengthen sessions");
    await ctx.db
      .update(companies)
      .set({ sessionHoursMax: hours })
      .where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.session_hours_changed", { from, to: hours });
  });
}

/**
 * Makes a second factor mandatory or optional for the company's admins. Once mandatory, an admin without one
 * can only set one up.
 *
 * @throws Refusal `not_allowed` if the caller has no second factor, and so would lock themselves out; `invalid_permission`
 */
async function requireSecondFactor(
  ctx: Context,
  { email, isOwner }: Caller,
  { isRequired }: { isRequired: boolean },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { secondFactorRequired: was } = await lockCompany(ctx);
    if (was === isRequired) return;
    if (!isRequired && !isOwner) throw onlyOwner("make the second factor optional");
    if (isRequired && !hasSecondFactor(await getFactors(ctx.db, personAccount(email))))
      throw new Refusal("not_allowed", "Set up a second factor for yourself first");
    await ctx.db
      .update(companies)
      .set({ secondFactorRequired: isRequired })
      .where(eq(companies.id, ctx.companyId));
    const action = isRequired ? "company.second_factor_required" : "company.second_factor_optional";
    await recordAudit(ctx, action, {});
  });
}

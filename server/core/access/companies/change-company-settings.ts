import { eq } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import { factorsOf, hasSecondFactor } from "#server/core/access/second-factors/factors-of.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { changeAllowedAddresses } from "./change-allowed-addresses.ts";
import { setGreylisting } from "./set-greylisting.ts";

/** No session is longer: a browser forgets its cookie then. */
const SESSION_HOURS_MAX = 336;

const NAME_MAX = 200;

/** What is to change; what is left out stays. */
export type CompanyChange = {
  name?: string | undefined;
  greylisting?: boolean | undefined;
  allowedAddresses?: string[] | undefined;
  sessionHoursMax?: number | undefined;
  secondFactorRequired?: boolean | undefined;
};

/**
 * Changes settings of the company: all of it or nothing, each with its entry in the audit log.
 *
 * @param email who changes them
 * @throws Refusal `invalid` beginning with the field, `not_allowed`
 */
export async function changeCompanySettings(
  ctx: Context,
  email: string,
  change: CompanyChange,
): Promise<void> {
  const { name, greylisting, allowedAddresses, sessionHoursMax, secondFactorRequired } = change;
  await inTransaction(ctx, async (ctx) => {
    if (name !== undefined) await renameCompany(ctx, name);
    if (greylisting !== undefined) await setGreylisting(ctx, greylisting);
    if (allowedAddresses) await asField(changeAllowedAddresses(ctx, allowedAddresses));
    if (sessionHoursMax !== undefined) await changeSessionHours(ctx, sessionHoursMax);
    if (secondFactorRequired !== undefined)
      await requireSecondFactor(ctx, { isRequired: secondFactorRequired, email });
  });
}

async function asField(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.reason, `allowed_addresses: ${error.message}`);
  });
}

/**
 * Changes what the company is called.
 *
 * @throws Refusal `invalid` beginning with `name`
 */
async function renameCompany(ctx: Context, text: string): Promise<void> {
  const name = text.trim();
  if (name.length < 1 || name.length > NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name))
    throw new Refusal("invalid", `name: must have 1 to ${NAME_MAX} characters, on one line`);
  await inTransaction(ctx, async (ctx) => {
    const { name: from } = await lockCompany(ctx);
    if (from === name) return;
    await ctx.db.update(companies).set({ name }).where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.renamed", { from, to: name });
  });
}

/**
 * Changes how long a session at the console lasts, also for those that run: what is older is over at once.
 *
 * @throws Refusal `invalid` beginning with `session_hours_max`
 */
async function changeSessionHours(ctx: Context, hours: number): Promise<void> {
  if (!Number.isInteger(hours) || hours < 1 || hours > SESSION_HOURS_MAX)
    throw new Refusal(
      "invalid",
      `session_hours_max: must be a whole number of hours from 1 to ${SESSION_HOURS_MAX}`,
    );
  await inTransaction(ctx, async (ctx) => {
    const { sessionHoursMax: from } = await lockCompany(ctx);
    if (from === hours) return;
    await ctx.db
      .update(companies)
      .set({ sessionHoursMax: hours })
      .where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.session_hours_changed", { from, to: hours });
  });
}

/**
 * Has every admin of the company need a second factor, or no more. Who has none can do nothing but set one
 * up, from their next request on.
 *
 * @param email who switches it: it would shut them out first
 * @throws Refusal `not_allowed` for somebody who has no second factor
 */
async function requireSecondFactor(
  ctx: Context,
  { isRequired, email }: { isRequired: boolean; email: string },
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { secondFactorRequired: was } = await lockCompany(ctx);
    if (was === isRequired) return;
    if (isRequired && !hasSecondFactor(await factorsOf(ctx.db, email)))
      throw new Refusal("not_allowed", "Set up a second factor for yourself first");
    await ctx.db
      .update(companies)
      .set({ secondFactorRequired: isRequired })
      .where(eq(companies.id, ctx.companyId));
    const action = isRequired ? "company.second_factor_required" : "company.second_factor_optional";
    await recordAudit(ctx, action, {});
  });
}

/** The caller's company, which nobody else changes until the transaction ends. */
async function lockCompany(ctx: Context): Promise<Company> {
  const [company] = await ctx.db
    .select()
    .from(companies)
    .where(eq(companies.id, ctx.companyId))
    .for("no key update");
  if (!company) throw new Error(`There is no company ${ctx.companyId}`);
  return company;
}

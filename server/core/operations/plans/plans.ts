import { and, count, eq, getTableColumns, ne, sql } from "drizzle-orm";

import { companies, type Plan, plans } from "#drizzle/schema/index.ts";
import { changeCompany } from "#server/core/operations/companies/companies.ts";
import { readCompanyUsage } from "#server/core/operations/companies/company-usage.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { pluralize, readOneLine } from "#server/core/shared/text.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

export type ListedPlan = Plan & {
  /** The number of companies on it. */
  companies: number;
};

/** All plans by name, without paging. */
export function listPlans(db: Db): Promise<ListedPlan[]> {
  return db
    .select({ ...getTableColumns(plans), companies: count(companies.id) })
    .from(plans)
    .leftJoin(companies, eq(companies.planId, plans.id))
    .groupBy(plans.id)
    .orderBy(sql`lower(${plans.name})`);
}

/**
 * Creates a plan.
 *
 * @param ctx of the appliance's own company
 * @throws Refusal `invalid`, `already_exists` for a name in use (case-insensitive)
 */
export async function createPlan(
  ctx: Context,
  input: CompanyLimits & { name: string },
): Promise<Plan> {
  const { name, limits } = readFields({
    name: () => readPlanName(input.name),
    limits: () => validateLimits(input),
  });
  return inTransaction(ctx, async (ctx) => {
    const [plan] = await ctx.db
      .insert(plans)
      .values({ name, ...limits })
      .onConflictDoNothing()
      .returning();
    if (!plan) throw nameTakenError();
    await recordAudit(ctx, "plan.created", { name, ...limits });
    return plan;
  });
}

/**
 * Updates a plan and the limits of every company on it in one transaction, with an entry in each company's audit log.
 * Companies over a new limit keep what they have, but can't add more.
 *
 * @param ctx of the appliance's own company
 * @returns the number of companies with the new limits
 * @throws Refusal `not_found`, `invalid`, `already_exists`
 */
export async function updatePlan(
  ctx: Context,
  id: string,
  input: CompanyLimits & { name: string },
): Promise<number> {
  const name = readPlanName(input.name);
  const to = validateLimits(input);
  return inTransaction(ctx, async (ctx) => {
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, id)).for("update");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    await requireFreeName(ctx, id, name);
    await ctx.db
      .update(plans)
      .set({ name, ...to })
      .where(eq(plans.id, id));
    const from = pickLimits(plan);
    await recordAudit(ctx, "plan.changed", { name, from, to });
    const onIt = await lockCompanies(ctx, id);
    if (onIt.length === 0) return 0;
    await ctx.db.update(companies).set(to).where(eq(companies.planId, id));
    for (const companyId of onIt)
      await recordAudit({ ...ctx, companyId }, "company.plan_changed", { plan: name, from, to });
    return onIt.length;
  });
}

async function requireFreeName({ db }: Context, id: string, name: string): Promise<void> {
  const [taken] = await db
    .select({ id: plans.id })
    .from(plans)
    .where(and(sql`lower(${plans.name}) = lower(${name})`, ne(plans.id, id)));
  if (taken) throw nameTakenError();
}

/** Locks by id, the lock order of companies everywhere. */
async function lockCompanies({ db }: Context, planId: string): Promise<string[]> {
  const rows = await db
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.planId, planId))
    .orderBy(companies.id)
    .for("no key update");
  return rows.map(({ id }) => id);
}

/**
 * Deletes a plan that no company is on.
 *
 * @param ctx of the appliance's own company
 * @throws Refusal `not_found`, `resource_in_use`
 */
export async function deletePlan(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, id)).for("update");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    const onIt = await ctx.db.$count(companies, eq(companies.planId, id));
    if (onIt > 0)
      throw new Refusal(
        "resource_in_use",
        `${pluralize(onIt, "company is", "companies are")} on ${plan.name}. Assign ${onIt === 1 ? "it" : "them"} another plan first`,
      );
    await ctx.db.delete(plans).where(eq(plans.id, id));
    await recordAudit(ctx, "plan.deleted", { name: plan.name });
  });
}

/**
 * Assigns a plan to the company, which gets the plan's limits now and whenever they change.
 *
 * @throws Refusal `not_found`
 */
export async function assignPlan(ctx: Context, planId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // Lock the plan before the company, as updatePlan does, so that its limits don't change before the commit.
    const [plan] = await ctx.db.select().from(plans).where(eq(plans.id, planId)).for("share");
    if (!plan) throw new Refusal("not_found", "Plan not found");
    await changeCompany(ctx, (company) => ({
      set: { planId, ...pickLimits(plan) },
      action: "company.plan_changed",
      details: { plan: plan.name, from: pickLimits(company), to: pickLimits(plan) },
    }));
  });
}

/**
 * Sets custom limits for the company and removes it from its plan.
 *
 * @throws Refusal `invalid`, with the limit's name first
 */
export async function setCustomLimits(ctx: Context, limits: CompanyLimits): Promise<void> {
  const to = validateLimits(limits);
  await changeCompany(ctx, (company) => ({
    set: { planId: null, ...to },
    action: "company.limits_changed",
    details: { from: pickLimits(company), to },
  }));
}

type Exceeded = ("recipients" | "domains" | "mailboxes")[];

export type PlanPreview = {
  /** The number of companies on the plan. */
  companies: number;
  /** The first companies, by name, that already use more. */
  over: { id: string; name: string; exceeded: Exceeded }[];
  overCount: number;
};

const SHOWN_MAX = 20;

/** Previews the effect of new limits on the companies on a plan. */
export async function previewPlan(
  db: Db,
  planId: string,
  limits: Pick<CompanyLimits, "monthlyAllowance" | "domainsMax" | "mailboxesMax">,
): Promise<PlanPreview> {
  const onIt = await db
    .select({ id: companies.id, name: companies.name })
    .from(companies)
    .where(eq(companies.planId, planId))
    .orderBy(companies.name);
  const usage = await readCompanyUsage(
    db,
    onIt.map(({ id }) => id),
  );
  const over = onIt.flatMap(({ id, name }) => {
    const { monthRecipients, domains, mailboxes } = usage.get(id)!;
    const exceeded: Exceeded = [];
    if (monthRecipients > (limits.monthlyAllowance ?? Infinity)) exceeded.push("recipients");
    if (domains > (limits.domainsMax ?? Infinity)) exceeded.push("domains");
    if (mailboxes > (limits.mailboxesMax ?? Infinity)) exceeded.push("mailboxes");
    return exceeded.length > 0 ? [{ id, name, exceeded }] : [];
  });
  return { companies: onIt.length, over: over.slice(0, SHOWN_MAX), overCount: over.length };
}

/** A company's limits; null for unlimited. */
export type CompanyLimits = Pick<
  Plan,
  "monthlyAllowance" | "domainsMax" | "mailboxesMax" | "quotaMbMax" | "defaultQuotaMb"
>;

/** Picks the limits from a plan or company. */
export const pickLimits = ({
  monthlyAllowance,
  domainsMax,
  mailboxesMax,
  quotaMbMax,
  defaultQuotaMb,
}: CompanyLimits): CompanyLimits => ({
  monthlyAllowance,
  domainsMax,
  mailboxesMax,
  quotaMbMax,
  defaultQuotaMb,
});

// Fits an int column.
const COUNT_MAX = 2_000_000_000;

/** @throws Refusal `invalid`, with the limit's name first */
function validateLimits(limits: CompanyLimits): CompanyLimits {
  const counts = [0, COUNT_MAX] as const;
  const sizes = [QUOTA_MB_MIN, QUOTA_MB_MAX] as const;
  readFields({
    monthly: () => requireWhole("monthly_allowance", limits.monthlyAllowance, counts),
    domains: () => requireWhole("domains_max", limits.domainsMax, counts),
    mailboxes: () => requireWhole("mailboxes_max", limits.mailboxesMax, counts),
    quotaMax: () => requireWhole("quota_mb_max", limits.quotaMbMax, sizes),
    quota: () => requireWhole("default_quota_mb", limits.defaultQuotaMb, sizes),
  });
  if (limits.quotaMbMax !== null && limits.defaultQuotaMb > limits.quotaMbMax)
    throw new Refusal(
      "invalid",
      `default_quota_mb: must not exceed quota_mb_max, ${limits.quotaMbMax} MB`,
    );
  return pickLimits(limits);
}

function requireWhole(
  name: string,
  value: number | null,
  [min, max]: readonly [number, number],
): void {
  if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw new Refusal("invalid", `${name}: must be a whole number from ${min} to ${max}`);
}

const NAME_MAX = 80;

/** @throws Refusal `invalid` */
const readPlanName = (text: string): string => readOneLine(text, "name", { max: NAME_MAX });

const nameTakenError = () => new Refusal("already_exists", "name: is already used by another plan");

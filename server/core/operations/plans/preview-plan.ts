import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { readCompanyUsage } from "#server/core/operations/companies/read-company-usage.ts";
import type { Db } from "#server/db/client.ts";

import type { CompanyLimits } from "./limits.ts";

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

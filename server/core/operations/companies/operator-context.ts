import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { ensurePlatformCompany } from "#server/core/domains/own-domain/ensure-platform.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** Somebody who runs the instance, as an endpoint knows them. */
export type Operator = Pick<Context, "db" | "now"> & { email: string };

/**
 * What an operator does at a company, in whose audit log it then stands. Sandbox and platform are
 * companies here too.
 *
 * @throws Refusal `not_found`
 */
export async function operatorContext(operator: Operator, companyId: string): Promise<Context> {
  const [found] = isUuid(companyId)
    ? await operator.db
        .select({ id: companies.id })
        .from(companies)
        .where(eq(companies.id, companyId))
    : [];
  if (!found) throw new Refusal("not_found", "Company not found");
  return contextOf(operator, found.id);
}

/** What an operator does to the whole instance: it stands in the audit log of the appliance's own company. */
export async function applianceContext(operator: Operator): Promise<Context> {
  return contextOf(operator, await ensurePlatformCompany(operator.db));
}

function contextOf({ db, now, email }: Operator, companyId: string): Context {
  return { db, now, companyId, actor: { kind: "operator", email } };
}

import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { ensurePlatformCompany } from "#server/core/domains/own-domain/ensure-platform.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** The operator who makes a request. */
export type Operator = Pick<Context, "db" | "now"> & { email: string };

/**
 * The context for an operator's actions on a company, including sandbox and platform. They are recorded in the
 * company's audit log.
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

/** The context for an operator's actions on the whole appliance, recorded in its own company's audit log. */
export async function applianceContext(operator: Operator): Promise<Context> {
  return contextOf(operator, await ensurePlatformCompany(operator.db));
}

function contextOf({ db, now, email }: Operator, companyId: string): Context {
  return { db, now, companyId, actor: { kind: "operator", email } };
}

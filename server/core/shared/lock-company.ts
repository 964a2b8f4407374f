import { eq } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";

import type { CompanyScope } from "./context.ts";

/** Locks the company's row until the transaction ends, such as for a limit that concurrent calls could exceed. */
export async function lockCompany({ db, companyId }: CompanyScope): Promise<Company> {
  const [company] = await db
    .select()
    .from(companies)
    .where(eq(companies.id, companyId))
    .for("no key update");
  if (!company) throw new Error(`There is no company ${companyId}`);
  return company;
}

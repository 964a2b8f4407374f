import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";

import { companies, type Company, plans } from "#drizzle/schema/index.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";
import { type Page, type PageRequest, toPage } from "#server/core/shared/paging/page.ts";
import {
  countSorted,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/sorted.ts";
import type { Db } from "#server/db/client.ts";

import { type CompanyState, companyState } from "./company-state.ts";
import { type CompanyUsage, readCompanyUsage } from "./read-company-usage.ts";

export type CompanyFilters = {
  /** Substring of the name, an admin's address or a domain; or the id. */
  search: string | null;
  state: CompanyState | null;
  /** Null for all; "none" for companies with custom limits. */
  planId: string | null;
};

export type ListedCompany = Company & {
  state: CompanyState;
  planName: string | null;
  usage: CompanyUsage;
};

export type CompanySort = Sort<"name" | "created">;

const orderOf = sortOrders({ name: sql`lower(${companies.name})`, created: companies.createdAt });

/**
 * A page of the companies, without the appliance's own.
 *
 * @throws Refusal `invalid` for an invalid cursor
 */
export async function listCompanies(
  db: Db,
  page: PageRequest,
  filters: CompanyFilters,
  sort: CompanySort,
): Promise<Page<ListedCompany>> {
  const list = pageSorted(db, companies, orderOf(sort), listCondition(filters), page);
  const rows = await db
    .select({ ...getTableColumns(companies), state: companyState, planName: plans.name })
    .from(companies)
    .leftJoin(plans, eq(plans.id, companies.planId))
    .where(list.where)
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  const { rows: shown, hasMore } = toPage(rows, page);
  const usage = await readCompanyUsage(
    db,
    shown.map(({ id }) => id),
  );
  return { hasMore, rows: shown.map((row) => ({ ...row, usage: usage.get(row.id)! })) };
}

/** @param first the first company of the page */
export const countCompanies = (
  db: Db,
  filters: CompanyFilters,
  sort: CompanySort,
  first: Company | undefined,
) => countSorted(db, companies, orderOf(sort), { inList: listCondition(filters) }, first);

function listCondition({ search, state, planId }: CompanyFilters): SQL {
  return and(
    sql`${companies.purpose} <> 'platform'`,
    search ? searchCondition(search) : undefined,
    state ? sql`${companyState} = ${state}` : undefined,
    planCondition(planId),
  )!;
}

function planCondition(planId: string | null): SQL | undefined {
  if (planId === null) return undefined;
  return planId === "none" ? isNull(companies.planId) : eq(companies.planId, planId);
}

function searchCondition(typed: string): SQL {
  const search = typed.replaceAll("\0", "");
  const pattern = containsPattern(search);
  return sql`(lower(${companies.name}) like ${pattern}
    or ${companies.id}::text = ${search.toLowerCase()}
    or exists (select from admins a where a.company_id = ${companies.id} and a.email like ${pattern})
    or exists (select from domains d where d.company_id = ${companies.id} and d.name like ${pattern}))`;
}

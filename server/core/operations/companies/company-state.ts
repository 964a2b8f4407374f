import { type SQL, sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";

/** The states of a company, most severe first. Several can apply; the most severe one counts. */
export const COMPANY_STATES = [
  "suspended",
  "service_off",
  "overdue",
  "no_subscription",
  "active",
] as const;
export type CompanyState = (typeof COMPANY_STATES)[number];

/** The state of a row of `companies`. */
export const companyState: SQL<CompanyState> = sql<CompanyState>`(case
  when ${companies.suspendedAt} is not null then 'suspended'
  when not ${companies.serviceEnabled} then 'service_off'
  when ${companies.overdueInvoice} is not null then 'overdue'
  when not ${companies.subscriptionActive} then 'no_subscription'
  else 'active' end)`;

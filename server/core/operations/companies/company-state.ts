import { type SQL, sql } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";

/** What holds a company back, the weightiest first; `active` is nothing. Several may hold at once. */
export const COMPANY_STATES = [
  "suspended",
  "service_off",
  "overdue",
  "no_subscription",
  "active",
] as const;
export type CompanyState = (typeof COMPANY_STATES)[number];

/** The weightiest state of a row of `companies`. */
export const companyState: SQL<CompanyState> = sql<CompanyState>`(case
  when ${companies.suspendedAt} is not null then 'suspended'
  when not ${companies.serviceEnabled} then 'service_off'
  when ${companies.overdueInvoice} is not null then 'overdue'
  when not ${companies.subscriptionActive} then 'no_subscription'
  else 'active' end)`;

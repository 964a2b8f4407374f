import { and, eq, getTableColumns, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";

import {
  admins,
  companies,
  type Company,
  invitations,
  mailboxes,
  mailboxSessions,
  plans,
  sessions,
} from "#drizzle/schema/index.ts";
import { scheduleCompanyMailAppEnd } from "#server/core/access/sessions/account-sessions.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { readOneLine, storableText } from "#server/core/shared/text.ts";
import {
  containsPattern,
  type CountedPage,
  type PageRequest,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { type CompanyUsage, readCompanyUsage } from "./company-usage.ts";

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
): Promise<CountedPage<ListedCompany>> {
  const list = pageSorted(db, companies, orderOf(sort), { inList: listCondition(filters) }, page);
  const found = await list.read(
    db
      .select({ ...getTableColumns(companies), state: companyState, planName: plans.name })
      .from(companies)
      .leftJoin(plans, eq(plans.id, companies.planId)),
  );
  const usage = await readCompanyUsage(
    db,
    found.rows.map(({ id }) => id),
  );
  return { ...found, rows: found.rows.map((row) => ({ ...row, usage: usage.get(row.id)! })) };
}

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
  const search = storableText(typed);
  const pattern = containsPattern(search);
  return sql`(lower(${companies.name}) like ${pattern}
    or ${companies.id}::text = ${search.toLowerCase()}
    or exists (select from admins a where a.company_id = ${companies.id} and a.email like ${pattern})
    or exists (select from domains d where d.company_id = ${companies.id} and d.name like ${pattern}))`;
}

/** What suspending the company or turning its service off would affect. */
type CompanyReach = {
  /** Active API keys. */
  apiKeys: number;
  /** Admins who can sign in. */
  admins: number;
  /** Active console sessions. */
  sessions: number;
  scheduledEmails: number;
  hourRecipients: number;
};

export type OperatedCompany = ListedCompany & {
  owners: { email: string; name: string }[];
  /** Open invitations. */
  invitedOwners: { email: string; expiresAt: string }[];
  reach: CompanyReach;
};

/**
 * The context's company with everything its page shows to operators.
 *
 * @throws Refusal `not_found`
 */
export async function getOperatedCompany({ db, companyId }: Context): Promise<OperatedCompany> {
  const [[company], owners, invitedOwners, usage, reach] = await Promise.all([
    db
      .select({ ...getTableColumns(companies), state: companyState, planName: plans.name })
      .from(companies)
      .leftJoin(plans, eq(plans.id, companies.planId))
      .where(eq(companies.id, companyId)),
    listOwners({ db, companyId }),
    listInvitedOwners({ db, companyId }),
    readCompanyUsage(db, [companyId]),
    countReach({ db, companyId }),
  ]);
  if (!company) throw new Refusal("not_found", "Company not found");
  return { ...company, owners, invitedOwners, usage: usage.get(companyId)!, reach };
}

function listOwners({ db, companyId }: CompanyScope) {
  return db
    .select({ email: admins.email, name: admins.name })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), eq(admins.isOwner, true)))
    .orderBy(admins.email);
}

function listInvitedOwners({ db, companyId }: CompanyScope) {
  const isOpen = gt(invitations.expiresAt, sql`clock_timestamp()`);
  return db
    .select({ email: invitations.email, expiresAt: invitations.expiresAt })
    .from(invitations)
    .where(and(eq(invitations.companyId, companyId), eq(invitations.isOwner, true), isOpen))
    .orderBy(invitations.email);
}

async function countReach({ db, companyId }: CompanyScope): Promise<CompanyReach> {
  const [row] = await db.execute<CompanyReach>(sql`
    select
      (select count(*) from api_keys where company_id = ${companyId} and revoked_at is null)::int
        as "apiKeys",
      (select count(*) from admins where company_id = ${companyId} and disabled_at is null)::int
        as admins,
      (select count(*) from sessions s join admins a on a.id = s.user_id
        where a.company_id = ${companyId} and s.expires_at > clock_timestamp())::int as sessions,
      -- As the scheduler's index has them: of all companies, only those that wait.
      (select count(*) from emails where company_id = ${companyId} and due_at is not null)::int
        as "scheduledEmails",
      coalesce((select hour_recipients from sending_totals where scope = ${companyId}), 0)::float8
        as "hourRecipients"`);
  return row!;
}

/** A change of a company with its audit log entry. */
type Change = {
  set: Partial<typeof companies.$inferInsert>;
  action: `company.${string}`;
  details?: Record<string, unknown>;
};

/**
 * Locks the context's company, changes it and records an audit log entry.
 *
 * @param decide returns the change for the current state; null for none
 * @returns whether there was a change
 * @throws Refusal `not_found`
 */
export async function changeCompany(
  ctx: Context,
  decide: (company: Company) => Change | null,
): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const isCompany = eq(companies.id, ctx.companyId);
    const [company] = await ctx.db.select().from(companies).where(isCompany).for("no key update");
    if (!company) throw new Refusal("not_found", "Company not found");
    const change = decide(company);
    if (!change) return false;
    await ctx.db.update(companies).set(change.set).where(isCompany);
    await recordAudit(ctx, change.action, change.details ?? {});
    return true;
  });
}

/**
 * Suspends a company: API keys stop working, sign-in is blocked and all sessions end, including those of mail apps.
 * Queued mail is on hold until the company is restored or an operator drops the mail. Mailboxes still receive.
 *
 * @throws Refusal `not_allowed` for the appliance's own company
 */
export async function suspendCompany(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isNew = await changeCompany(ctx, ({ purpose, suspendedAt }) => {
      if (purpose === "platform")
        throw new Refusal(
          "not_allowed",
          "This company can't be suspended because Posthouse sends its own notices as this company",
        );
      if (suspendedAt) return null;
      return {
        set: { suspendedAt: sql`clock_timestamp()` as unknown as string },
        action: "company.suspended",
      };
    });
    if (isNew) await endSessions(ctx);
  });
}

/** Ends a suspension. */
export async function restoreCompany(ctx: Context): Promise<void> {
  await changeCompany(ctx, ({ suspendedAt }) =>
    suspendedAt ? { set: { suspendedAt: null }, action: "company.restored" } : null,
  );
}

async function endSessions(ctx: Context): Promise<void> {
  const { db, companyId } = ctx;
  const its = db.select({ id: admins.id }).from(admins).where(eq(admins.companyId, companyId));
  await db.delete(sessions).where(inArray(sessions.userId, its));
  await db
    .delete(mailboxSessions)
    .where(
      inArray(
        mailboxSessions.userId,
        db
          .select({ address: mailboxes.address })
          .from(mailboxes)
          .where(eq(mailboxes.companyId, companyId)),
      ),
    );
  await scheduleCompanyMailAppEnd(ctx);
}

/** The states of a company, most severe first. Several can apply; the most severe one counts. */
export const COMPANY_STATES = [
  "suspended",
  "service_off",
  "overdue",
  "no_subscription",
  "active",
] as const;

type CompanyState = (typeof COMPANY_STATES)[number];

/** The state of a row of `companies`. */
const companyState: SQL<CompanyState> = sql<CompanyState>`(case
  when ${companies.suspendedAt} is not null then 'suspended'
  when not ${companies.serviceEnabled} then 'service_off'
  when ${companies.overdueInvoice} is not null then 'overdue'
  when not ${companies.subscriptionActive} then 'no_subscription'
  else 'active' end)`;

type Invoice = NonNullable<Company["overdueInvoice"]>;

const NUMBER_MAX = 80;
const URL_MAX = 1_000;

/**
 * Marks an invoice of the company as overdue: API calls then fail with `account_suspended`, naming the invoice and
 * the payment page. Null marks it as paid.
 *
 * @throws Refusal `invalid` for the number, or a payment URL that isn't https
 */
export async function setOverdueInvoice(ctx: Context, invoice: Invoice | null): Promise<void> {
  const read = invoice && readInvoice(invoice);
  await changeCompany(ctx, ({ overdueInvoice: before }) => {
    if (read === null)
      return (
        before && {
          set: { overdueInvoice: null },
          action: "company.invoice_paid",
          details: { number: before.number },
        }
      );
    if (before?.number === read.number && before.paymentUrl === read.paymentUrl) return null;
    return { set: { overdueInvoice: read }, action: "company.invoice_overdue", details: read };
  });
}

function readInvoice({ number, paymentUrl }: Invoice): Invoice {
  const line = readOneLine(number, "number", { max: NUMBER_MAX });
  const url = URL.parse(paymentUrl.trim());
  // Reject URLs whose visible text misleads about their target.
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new Refusal("invalid", "payment_url: must be an https URL");
  if (url.href.length > URL_MAX)
    throw new Refusal("invalid", `payment_url: must have at most ${URL_MAX} characters`);
  return { number: line, paymentUrl: url.href };
}

/** Turns the service on or off for a company. While it is off, every API call fails with `service_disabled`. */
export async function setService(ctx: Context, isOn: boolean): Promise<void> {
  await changeCompany(ctx, ({ serviceEnabled }) =>
    serviceEnabled === isOn
      ? null
      : {
          set: { serviceEnabled: isOn },
          action: isOn ? "company.service_switched_on" : "company.service_switched_off",
        },
  );
}

/**
 * Sets whether the company has an active subscription. Without one, reading works, but sending and creating domains
 * and mailboxes fail with `account_inactive`.
 */
export async function setSubscription(ctx: Context, isActive: boolean): Promise<void> {
  await changeCompany(ctx, ({ subscriptionActive }) =>
    subscriptionActive === isActive
      ? null
      : {
          set: { subscriptionActive: isActive },
          action: isActive ? "company.subscription_started" : "company.subscription_ended",
        },
  );
}

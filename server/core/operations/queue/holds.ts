import { eq, isNotNull, sql } from "drizzle-orm";

import { companies, queueHolds } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

/** All mail to a destination, or all mail of a company. */
export type Subject = { kind: "destination" | "company"; subject: string };

/** A snapshot of what is on hold. */
export class Holds {
  readonly #subjects: ReadonlySet<string>;

  constructor(subjects: Subject[]) {
    this.#subjects = new Set(subjects.map(keyOf));
  }

  get isNone(): boolean {
    return this.#subjects.size === 0;
  }

  /** Whether the company's mail to the destination is on hold. */
  covers(companyId: string, destination: string): boolean {
    return (
      this.#subjects.has(keyOf({ kind: "company", subject: companyId })) ||
      this.#subjects.has(keyOf({ kind: "destination", subject: destination }))
    );
  }

  /** Whether `others` has a subject that isn't on hold here. */
  isLessThan(others: Holds): boolean {
    return [...others.#subjects].some((subject) => !this.#subjects.has(subject));
  }
}

const keyOf = ({ kind, subject }: Subject) => `${kind} ${subject}`;

/** Ids of the companies whose mail is on hold: by an operator, or because the company is suspended. */
export const listHeldCompanies = sql`(
  select subject::uuid from queue_holds where kind = 'company'
  union all select id from companies where suspended_at is not null)`;

/** The subjects that are currently on hold. */
export async function readHolds(db: Db): Promise<Holds> {
  const [holds, suspended] = await Promise.all([
    db.select({ kind: queueHolds.kind, subject: queueHolds.subject }).from(queueHolds),
    db.select({ id: companies.id }).from(companies).where(isNotNull(companies.suspendedAt)),
  ]);
  return new Holds([
    ...holds,
    ...suspended.map(({ id }) => ({ kind: "company" as const, subject: id })),
  ]);
}

/** Whether an operator has put the subject on hold, or its company is suspended. */
export async function isOnHold(db: Db, { kind, subject }: Subject): Promise<boolean> {
  const rows = await db.select().from(queueHolds).where(eq(queueHolds.subject, subject));
  return (
    rows.some((row) => row.kind === kind) ||
    (kind === "company" && isSuspended({ db, companyId: subject }))
  );
}

/** Whether the company is suspended. */
export async function isSuspended(ctx: CompanyScope): Promise<boolean> {
  const [company] = await ctx.db
    .select({ suspendedAt: companies.suspendedAt })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  return Boolean(company?.suspendedAt);
}

import { type AnyColumn, eq, type SQL, sql } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

export type Actor =
  | { kind: "api_key"; keyId: string; keyName: string; adminId: string }
  /** `isConfined`: signed in by the company's identity provider, which speaks only for that company. */
  | { kind: "admin"; adminId: string; email: string; isConfined?: boolean }
  /** An operator, at any company. */
  | { kind: "operator"; email: string }
  /** A mailbox user at `/account`. */
  | { kind: "mailbox"; address: string }
  | { kind: "system"; task: string };

/** The caller, their company, and the database handle: the first argument of company-scoped functions. */
export type Context = {
  db: Db;
  companyId: string;
  actor: Actor;
  now: () => Date;
  /** The mode of the caller's API key, which sees no data of the other mode. Unset for others, who see both. */
  isTest?: boolean;
};

/** The part of the context that functions take if they need neither the caller nor the time. */
export type CompanyScope = Pick<Context, "db" | "companyId">;

/** A context with the real clock. */
export const createContext = (db: Db, companyId: string, actor: Actor): Context => ({
  db,
  companyId,
  actor,
  now: () => new Date(),
});

/** Runs `work` in a transaction, or in a savepoint if there is one already. */
export function inTransaction<Scope extends Pick<Context, "db">, T>(
  ctx: Scope,
  work: (ctx: Scope) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
}

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

/**
 * Condition that limits rows to the mode of the caller's API key: a test key sees test data, other keys live data.
 * Callers without a key see both. Without parameters, so that partial indexes serve every plan.
 */
export function inMode({ isTest }: Pick<Context, "isTest">, column: AnyColumn): SQL | undefined {
  if (isTest === undefined) return undefined;
  return isTest ? sql`${column}` : sql`not ${column}`;
}

/** Whether what the caller creates is test data. Callers without a key create live data. */
export const isTestMode = ({ isTest = false }: Pick<Context, "isTest">): boolean => isTest;

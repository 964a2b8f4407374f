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
export function createContext(db: Db, companyId: string, actor: Actor): Context {
  return { db, companyId, actor, now: () => new Date() };
}

/** Runs `work` in a transaction, or in a savepoint if there is one already. */
export function inTransaction<Scope extends Pick<Context, "db">, T>(
  ctx: Scope,
  work: (ctx: Scope) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
}

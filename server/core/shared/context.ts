import type { Db } from "#server/db/client.ts";

export type Actor =
  | { kind: "api_key"; keyId: string; keyName: string; adminId: string }
  | { kind: "admin"; adminId: string; email: string }
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
};

/** Runs `work` in a transaction, or in a savepoint if there is one already. */
export function inTransaction<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
}

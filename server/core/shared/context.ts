import type { Db } from "#server/db/client.ts";

export type Actor =
  | { kind: "api_key"; keyId: string; keyName: string; adminId: string }
  | { kind: "admin"; adminId: string; email: string }
  /** Somebody who runs the instance, at a company that need not be their own. */
  | { kind: "operator"; email: string }
  /** A person at `/account`. */
  | { kind: "mailbox"; address: string }
  | { kind: "system"; task: string };

/** Who is asking, for which company, and where to read and write. Every core function takes one first. */
export type Context = {
  db: Db;
  companyId: string;
  actor: Actor;
  now: () => Date;
};

/** Runs `work` in one transaction; inside another, in a savepoint of it. */
export function inTransaction<T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> {
  return ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
}

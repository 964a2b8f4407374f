import { and, asc, eq, gt, sql } from "drizzle-orm";

import { processes } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import type { ProcessFacts, ProcessRole } from "./register-process.ts";

export type ListedProcess = Omit<typeof processes.$inferSelect, "facts" | "aliveUntil"> & {
  facts: ProcessFacts;
  isAlive: boolean;
  /** Time of the last heartbeat. */
  heardAt: string;
};

/** Lists the running processes, and killed ones: for an hour, or longer if no other process has their role. */
export function listProcesses(db: Db): Promise<ListedProcess[]> {
  return db
    .select({
      id: processes.id,
      role: processes.role,
      host: processes.host,
      pid: processes.pid,
      version: processes.version,
      facts: sql<ProcessFacts>`${processes.facts}`,
      startedAt: processes.startedAt,
      isAlive: sql<boolean>`${processes.aliveUntil} > clock_timestamp()`,
      heardAt: sql<string>`${processes.aliveUntil} - interval '15 seconds'`,
    })
    .from(processes)
    .orderBy(asc(processes.role), asc(processes.startedAt));
}

/** The number of live processes of a role. */
export const countAlive = (db: Db, role: ProcessRole): Promise<number> =>
  db.$count(
    processes,
    and(eq(processes.role, role), gt(processes.aliveUntil, sql`clock_timestamp()`)),
  );

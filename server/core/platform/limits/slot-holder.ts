import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";

import { webProcesses } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

const RENEWAL_MS = 5_000;
const ALIVE_SECONDS = 15;

const logger = createLogger("limits");
const id = randomUUID();

/** The id under which this process holds slots; new at every start. */
export function slotHolderId(): string {
  return id;
}

/**
 * Registers this process, web or mail, in `web_processes` and renews its heartbeat every five seconds. Its slots
 * expire 15 seconds after the last one. Renewing inserts the row again if it was lost in a Postgres restart.
 *
 * @returns a function that deregisters the process, which frees its slots at once
 */
export async function registerSlotHolder(db: Db): Promise<() => Promise<void>> {
  await deleteDeadProcesses(db);
  await renew(db);
  const renewal = setInterval(() => {
    renew(db).catch((err: unknown) => {
      logger.warn({ err }, "failed to renew this process's heartbeat");
    });
  }, RENEWAL_MS);
  return async () => {
    clearInterval(renewal);
    await db.delete(webProcesses).where(eq(webProcesses.id, id));
  };
}

async function renew(db: Db): Promise<void> {
  const aliveUntil = sql`clock_timestamp() + make_interval(secs => ${ALIVE_SECONDS})`;
  await db
    .insert(webProcesses)
    .values({ id, aliveUntil })
    .onConflictDoUpdate({ target: webProcesses.id, set: { aliveUntil } });
}

/** Deletes rows of processes that were killed. */
async function deleteDeadProcesses(db: Db): Promise<void> {
  await db.execute(sql`
    delete from web_processes where id in (
      select id from web_processes where alive_until < statement_timestamp()
      for update skip locked)`);
}

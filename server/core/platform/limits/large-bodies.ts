import { eq, sql } from "drizzle-orm";
import { v7 } from "uuid";

import { largeBodies } from "#drizzle/schema/index.ts";
import { processId } from "#server/core/platform/processes/processes.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

/** Bodies over this size are large. */
export const LARGE_BODY_BYTES = 2 * 1024 * 1024;

const PLATFORM_MAX = 4;
const RETRY_AFTER_MS = 1_000;

const logger = createLogger("web");
const releasing = new Set<Promise<void>>();

/**
 * Acquires the company's single slot for a large request body; the platform has four.
 *
 * @returns a function that releases the slot; slots of dead processes are released automatically
 * @throws Refusal `rate_limit_exceeded`, to be retried after one second if the company's slot is taken, after
 *   two if all of the platform's are
 */
export async function acquireLargeBodySlot(ctx: CompanyScope): Promise<() => void> {
  // Otherwise a client's next large request could collide with its previous one, already answered.
  await Promise.all(releasing);
  const id = v7();
  await ctx.db.transaction(async (tx) => {
    await lock(tx, "largeBodies");
    await requireSlot({ db: tx, companyId: ctx.companyId });
    await tx.insert(largeBodies).values({ id, companyId: ctx.companyId, processId: processId() });
  });
  let isAcquired = true;
  return () => {
    if (!isAcquired) return;
    isAcquired = false;
    const gone = releaseSlot(ctx.db, id).finally(() => releasing.delete(gone));
    releasing.add(gone);
  };
}

/**
 * Rejects a large body before the upload if no slot is free. The slot itself is acquired once the body has
 * arrived, so that a slow upload doesn't block others.
 *
 * @throws Refusal as `acquireLargeBodySlot`
 */
export async function requireLargeBodySlot(ctx: CompanyScope): Promise<void> {
  await Promise.all(releasing);
  await requireSlot(ctx);
}

async function requireSlot(ctx: CompanyScope): Promise<void> {
  await deleteDeadSlots(ctx.db);
  const held = await ctx.db.select({ companyId: largeBodies.companyId }).from(largeBodies);
  if (held.some((body) => body.companyId === ctx.companyId))
    throw rateLimitRefusal("Another large request of the company is in progress", 1);
  if (held.length >= PLATFORM_MAX) throw tooManyLargeBodies();
}

/** Never this process's own, even if its heartbeat is late. */
async function deleteDeadSlots(db: Db): Promise<void> {
  await db.execute(sql`
    delete from large_bodies b where b.process_id <> ${processId()}::uuid and not exists (
      select from processes p where p.id = b.process_id and p.alive_until > clock_timestamp())`);
}

async function releaseSlot(db: Db, id: string): Promise<void> {
  try {
    await db.delete(largeBodies).where(eq(largeBodies.id, id));
  } catch (err) {
    logger.warn({ err }, "failed to release the slot of a large request; retrying");
    setTimeout(() => void releaseSlot(db, id), RETRY_AFTER_MS).unref();
  }
}

export const tooManyLargeBodies = () =>
  rateLimitRefusal("Too many large requests are in progress", 2);

const rateLimitRefusal = (message: string, retryAfterSeconds: number) =>
  new Refusal("rate_limit_exceeded", message, { retryAfterSeconds });

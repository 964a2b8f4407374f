import { eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { largeBodies } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { webProcessId } from "./web-process.ts";

/** Bodies over this size are large. */
export const LARGE_BODY_BYTES = 2 * 1024 * 1024;

const PLATFORM_MAX = 4;
const TRY_AGAIN_MS = 1_000;

/** Any number that no other advisory lock has: whoever counts large bodies holds it. */
const COUNTING_LOCK = 7_302_118;

const logger = createLogger("web");
const givingUp = new Set<Promise<void>>();

/**
 * Takes the company's one place for a large request body, of which the platform has four.
 *
 * @returns gives the place up; a process that dies gives up its own
 * @throws Refusal `rate_limit_exceeded`, to be tried again after one second when the company has its
 *   place taken, after two when the platform has
 */
export async function holdLargeBody(db: Db, companyId: string): Promise<() => void> {
  // A client whose last large request was answered a moment ago must not meet that one.
  await Promise.all(givingUp);
  const id = uuidv7();
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${COUNTING_LOCK}::bigint)`);
    await requirePlace(tx, companyId);
    await tx.insert(largeBodies).values({ id, companyId, processId: webProcessId() });
  });
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const gone = giveUp(db, id).finally(() => givingUp.delete(gone));
    givingUp.add(gone);
  };
}

/**
 * Refuses a large body before it is uploaded if no slot is free. The slot itself is taken only once the
 * body has arrived, so a slow upload doesn't block others.
 *
 * @throws Refusal as `holdLargeBody`
 */
export async function requireLargeBodyPlace(db: Db, companyId: string): Promise<void> {
  await Promise.all(givingUp);
  await requirePlace(db, companyId);
}

async function requirePlace(db: Db, companyId: string): Promise<void> {
  await forgetDead(db);
  const held = await db.select({ companyId: largeBodies.companyId }).from(largeBodies);
  if (held.some((body) => body.companyId === companyId))
    throw refusal("Another large request of the company is being worked on", 1);
  if (held.length >= PLATFORM_MAX) throw tooManyLargeBodies();
}

/** This process lives, whatever the table of processes says. */
async function forgetDead(db: Db): Promise<void> {
  await db.execute(sql`
    delete from large_bodies b where b.process_id <> ${webProcessId()}::uuid and not exists (
      select from web_processes p where p.id = b.process_id and p.alive_until > clock_timestamp())`);
}

async function giveUp(db: Db, id: string): Promise<void> {
  try {
    await db.delete(largeBodies).where(eq(largeBodies.id, id));
  } catch (err) {
    logger.warn({ err }, "could not give up the place of a large request; trying again");
    setTimeout(() => void giveUp(db, id), TRY_AGAIN_MS).unref();
  }
}

export const tooManyLargeBodies = () => refusal("Too many large requests are being worked on", 2);

const refusal = (message: string, retryAfterSeconds: number) =>
  new Refusal("rate_limit_exceeded", message, { retryAfterSeconds });

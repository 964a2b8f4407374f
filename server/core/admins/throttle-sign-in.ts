import { and, eq, gt, lt, sql } from "drizzle-orm";
import ipaddr from "ipaddr.js";

import { signInAttempts } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/refusals.ts";
import type { Db } from "#server/db/client.ts";

const WINDOW_MINUTES = 15;
/** Attempts within the window, for one address that is typed and from one place they come from. */
export const ATTEMPTS_PER_ACCOUNT_MAX = 10;
export const ATTEMPTS_PER_SOURCE_MAX = 50;

const windowStart = sql`clock_timestamp() - make_interval(mins => ${sql.raw(String(WINDOW_MINUTES))})`;

/**
 * Counts an attempt before it is made, so that attempts at the same moment cannot slip past the limit.
 * Forget it with `forgetAttempt` when it succeeds.
 *
 * @throws Refusal `rate_limit_exceeded` with the seconds until the next attempt counts
 */
export async function countAttempt(db: Db, email: string, address: string): Promise<bigint> {
  const source = sourceOf(address);
  await db
    .delete(signInAttempts)
    .where(lt(signInAttempts.createdAt, sql`clock_timestamp() - interval '1 day'`));
  const [attempt] = await db
    .insert(signInAttempts)
    .values({ email, source })
    .returning({ id: signInAttempts.id });
  const [byAccount, bySource] = await Promise.all([
    recent(db, eq(signInAttempts.email, email)),
    recent(db, eq(signInAttempts.source, source)),
  ]);
  const over = [
    byAccount.count > ATTEMPTS_PER_ACCOUNT_MAX ? byAccount : null,
    bySource.count > ATTEMPTS_PER_SOURCE_MAX ? bySource : null,
  ].filter((limit) => limit !== null);
  if (over.length === 0) return attempt!.id;

  // A refused attempt guessed nothing: it must not keep the owner of the account out for longer.
  await forgetAttempt(db, attempt!.id);
  const seconds = Math.max(...over.map((limit) => limit.secondsLeft));
  throw new Refusal(
    "rate_limit_exceeded",
    `Too many attempts to sign in. Try again in ${inWords(seconds)}`,
    { retryAfterSeconds: seconds },
  );
}

export async function forgetAttempt(db: Db, id: bigint): Promise<void> {
  await db.delete(signInAttempts).where(eq(signInAttempts.id, id));
}

async function recent(db: Db, who: ReturnType<typeof eq>) {
  const [found] = await db
    .select({
      count: sql<number>`count(*)::int`,
      secondsLeft: sql<number>`coalesce(ceil(extract(epoch from min(${signInAttempts.createdAt}) - (${windowStart}))), 0)::int`,
    })
    .from(signInAttempts)
    .where(and(who, gt(signInAttempts.createdAt, windowStart)));
  return { count: found!.count, secondsLeft: Math.max(1, found!.secondsLeft) };
}

/** One household or server is one source: with IPv6 it has a whole /64 to itself. */
function sourceOf(address: string): string {
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = [...parsed.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}

const inWords = (seconds: number) =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

import { eq, sql } from "drizzle-orm";

import { signInAttempts } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { KNOWN_DAYS } from "./networks.ts";
import { sourceOf } from "./source-of.ts";

const WINDOW_MINUTES = 15;
/** Different wrong passwords within the window: for one account from one source, */
export const ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX = 10;
/** for one account from all sources together that it has never signed in from, */
export const ATTEMPTS_PER_ACCOUNT_MAX = 30;
/** and from one source for all accounts together that have never signed in from it. */
export const ATTEMPTS_PER_SOURCE_MAX = 50;
/** All attempts from one source, the same wrong password over and over as well: each costs a hash. */
const WORK_PER_SOURCE_MAX = 1_000;

/** Longer names nobody has. Postgres could not index them. */
const ACCOUNT_LENGTH_MAX = 320;

export type Attempt = {
  /** As it was typed. */
  account: string;
  /** Where it comes from: an IP address. */
  clientAddress: string;
  /** Tells one password of the account from another; null when that is not known. */
  passwordMark: string | null;
};

/** The account that a typed name means, whether or not anybody has it. */
export function accountOf(typed: string): string {
  return typed
    .replaceAll("\0", "")
    .toWellFormed()
    .trim()
    .toLowerCase()
    .slice(0, ACCOUNT_LENGTH_MAX);
}

/**
 * Counts an attempt to sign in before it is made, so that attempts at the same moment, in whatever
 * process, cannot slip past the limits. Forget it with `forgetAttempt` when the password was right.
 *
 * The same wrong password again from the same source counts once: a mail app with an old password is no
 * guesser. Who signs in from a source that the account has signed in from before is locked out by
 * attempts for this very account from this very source only, so strangers cannot lock the owner out.
 *
 * @throws Refusal `rate_limit_exceeded` with the seconds until the next attempt counts
 */
export async function countAttempt(db: Db, attempt: Attempt): Promise<bigint> {
  const email = accountOf(attempt.account);
  const source = sourceOf(attempt.clientAddress);
  const [counted] = await db
    .insert(signInAttempts)
    .values({ email, source, passwordMark: attempt.passwordMark })
    .returning({ id: signInAttempts.id });
  const seconds = await secondsToWait(db, email, source);
  if (seconds === null) return counted!.id;

  // A refused attempt guessed nothing: it must not keep the owner of the account out for longer.
  await forgetAttempt(db, counted!.id);
  throw new Refusal(
    "rate_limit_exceeded",
    `Too many attempts to sign in. Try again in ${inWords(seconds)}`,
    { retryAfterSeconds: seconds },
  );
}

/** The password was right. */
export async function forgetAttempt(db: Db, id: bigint): Promise<void> {
  await db.delete(signInAttempts).where(eq(signInAttempts.id, id));
}

/** Seconds until another attempt may be made; null when it may be made now. */
async function secondsToWait(db: Db, email: string, source: string): Promise<number | null> {
  const isAccount = sql`email = ${email}`;
  const isSource = sql`source = ${source}`;
  const [found] = await db.execute<{ seconds: number | null }>(sql`
    with recent as (
      select email, source, max(created_at) as last, count(*) as times,
        exists (
          select from sign_in_networks n where n.account = a.email and n.network = a.source
            and n.last_seen_at > clock_timestamp() - make_interval(days => ${KNOWN_DAYS})
        ) as is_known
      from sign_in_attempts a
      where created_at > clock_timestamp() - make_interval(mins => ${WINDOW_MINUTES})
        and (${isAccount} or ${isSource})
      group by email, source, coalesce(password_mark, id::text)
    ), counts as (
      select count(*) filter (where ${isAccount} and ${isSource}) as by_both,
        min(last) filter (where ${isAccount} and ${isSource}) as both_oldest,
        count(*) filter (where ${isAccount} and not is_known) as by_account,
        min(last) filter (where ${isAccount} and not is_known) as account_oldest,
        count(*) filter (where ${isSource} and not is_known) as by_source,
        sum(times) filter (where ${isSource}) as work,
        min(last) filter (where ${isSource}) as source_oldest,
        bool_or(is_known) filter (where ${isAccount} and ${isSource}) as is_known
      from recent
    )
    select ceil(extract(epoch from
      greatest(
        case when by_both > ${ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX} then both_oldest end,
        case when by_account > ${ATTEMPTS_PER_ACCOUNT_MAX} and not is_known then account_oldest end,
        case when by_source > ${ATTEMPTS_PER_SOURCE_MAX} and not is_known
          or work > ${WORK_PER_SOURCE_MAX} then source_oldest end
      ) + make_interval(mins => ${WINDOW_MINUTES}) - clock_timestamp()))::int as seconds
    from counts`);
  const seconds = found?.seconds ?? null;
  return seconds === null ? null : Math.max(1, seconds);
}

const inWords = (seconds: number) =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

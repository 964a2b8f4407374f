import { randomUUID } from "node:crypto";

import { and, eq, gt, lt, sql } from "drizzle-orm";
import ipaddr from "ipaddr.js";

import { signInAttempts, signInNetworks } from "#drizzle/schema/index.ts";
import type { SessionOrigin } from "#server/core/access/sessions/sessions.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { pluralize, storableText } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

const WINDOW_MINUTES = 15;

/** Attempts for one account from one source, including repeats of one wrong password and attempts that were rejected. */
export const ATTEMPTS_OF_ANY_KIND_MAX = 100;

/** Different wrong passwords within the window: for one account from one source, */
export const ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX = 10;

/** for one account from all unknown sources together, */
export const ATTEMPTS_PER_ACCOUNT_MAX = 30;

/** and from one source for all accounts that have never signed in from it. */
export const ATTEMPTS_PER_SOURCE_MAX = 50;

/** Unfinished sign-ins at one identity provider from one source, such as an office that shares an address. */
export const STARTS_PER_PROVIDER_AND_SOURCE_MAX = 300;

/** All attempts from one source, including repeats of one wrong password, because each costs a hash. */
const HASHES_PER_SOURCE_MAX = 1_000;

/** The mark of a rejected attempt, which guessed nothing. */
const REFUSED = "refused";

/** Bounds the index entry; real names are shorter. */
const ACCOUNT_LENGTH_MAX = 320;

export type SignInAttempt = {
  /** As typed. */
  account: string;
  /** IP address. */
  clientAddress: string;
  /** Distinguishes passwords of the account; null if unknown. */
  passwordMark: string | null;
  /** Whether the password is right and can't be guessed, so that the guesses of others don't matter. */
  isSure?: boolean;
  /** For Dovecot's password query. */
  dovecot?: { checkKey: string; credential: string | null };
};

/** Normalizes a typed account name, whether or not the account exists. */
export const normalizeAccount = (typed: string): string =>
  storableText(typed).trim().toLowerCase().slice(0, ACCOUNT_LENGTH_MAX);

/**
 * Counts a sign-in attempt before it is checked, so that concurrent attempts in any process can't exceed the
 * limits. Undo with `forgetAttempt` if the password is right.
 *
 * Repeats of one wrong password from one source count once, up to `ATTEMPTS_OF_ANY_KIND_MAX`: a mail app with an old
 * password isn't an attacker. A source that the account has signed in from before is only limited by its own attempts for that
 * account, so strangers can't lock the owner out.
 *
 * @throws Refusal `rate_limit_exceeded` with the seconds until the next attempt counts
 */
export async function countAttempt(db: Db, attempt: SignInAttempt): Promise<bigint> {
  const email = normalizeAccount(attempt.account);
  const source = sourceNetwork(attempt.clientAddress);
  const [counted] = await db
    .insert(signInAttempts)
    .values({ email, source, passwordMark: attempt.passwordMark, ...attempt.dovecot })
    .returning({ id: signInAttempts.id });
  const { id } = counted!;
  if (attempt.isSure) return id;
  const { seconds, isKept } = await secondsToWait(db, email, source);
  if (seconds === null) return id;

  // A rejected attempt guessed nothing and must not extend the lockout, but counts toward the cap.
  if (isKept)
    await db
      .update(signInAttempts)
      .set({ passwordMark: REFUSED, checkKey: null, credential: null })
      .where(eq(signInAttempts.id, id));
  else await forgetAttempt(db, id);
  throw tooManyAttempts(Math.max(1, seconds));
}

/**
 * Counts a sign-in that starts at an identity provider. It guesses nothing, so it has its own limit, and doesn't count
 * toward those of passwords. Undo with `forgetAttempt` once the provider has signed the user in.
 *
 * @param providerId null if there is none for what was entered
 * @throws Refusal `rate_limit_exceeded` with the seconds until the next start is allowed
 */
export async function countProviderStart(
  db: Db,
  { providerId, clientAddress }: { providerId: string | null; clientAddress: string },
): Promise<bigint> {
  const email = providerId ?? "unknown";
  const source = `single sign-on ${sourceNetwork(clientAddress)}`;
  const [counted] = await db
    .insert(signInAttempts)
    .values({ email, source })
    .returning({ id: signInAttempts.id });
  const window = sql`make_interval(mins => ${WINDOW_MINUTES})`;
  const [recent] = await db.execute<{ times: number; seconds: number }>(sql`
    select count(*)::int as times,
      ceil(extract(epoch from min(created_at) + ${window} - clock_timestamp()))::int as seconds
    from sign_in_attempts
    where source = ${source} and email = ${email} and created_at > clock_timestamp() - ${window}`);
  if (recent!.times <= STARTS_PER_PROVIDER_AND_SOURCE_MAX) return counted!.id;
  await forgetAttempt(db, counted!.id);
  throw tooManyAttempts(Math.max(1, recent!.seconds));
}

const tooManyAttempts = (seconds: number) =>
  new Refusal(
    "rate_limit_exceeded",
    `Too many sign-in attempts. Try again in ${formatWait(seconds)}`,
    { retryAfterSeconds: seconds },
  );

export async function forgetAttempt(db: Db, id: bigint): Promise<void> {
  await db.delete(signInAttempts).where(eq(signInAttempts.id, id));
}

/**
 * Seconds until the next attempt is allowed; null if it is allowed now.
 *
 * A rejected attempt is kept only if the source has used up its own guesses for the account: so rows are bounded by the
 * limits of accounts per source.
 */
async function secondsToWait(
  db: Db,
  email: string,
  source: string,
): Promise<{ seconds: number | null; isKept: boolean }> {
  const isAccount = sql`email = ${email}`;
  const isSource = sql`source = ${source}`;
  const [found] = await db.execute<{ seconds: number | null; isKept: boolean }>(sql`
    with recent as (
      select email, source, min(created_at) as first, max(created_at) as last, count(*) as times,
        coalesce(password_mark = ${REFUSED}, false) as is_refused,
        exists (
          select from sign_in_networks n where n.account = a.email and n.network = a.source
            and n.last_seen_at > clock_timestamp() - make_interval(days => ${KNOWN_DAYS})
        ) as is_known
      from sign_in_attempts a
      where created_at > clock_timestamp() - make_interval(mins => ${WINDOW_MINUTES})
        and (${isAccount} or ${isSource})
      group by email, source, password_mark, case when password_mark is null then id end
    ), guesses as (
      select * from recent where not is_refused
    ), counts as (
      select count(*) filter (where ${isAccount} and ${isSource}) as by_both,
        min(last) filter (where ${isAccount} and ${isSource}) as both_oldest,
        count(*) filter (where ${isAccount} and not is_known) as by_account,
        min(last) filter (where ${isAccount} and not is_known) as account_oldest,
        count(*) filter (where ${isSource} and not is_known) as by_source,
        sum(times) filter (where ${isSource}) as work,
        min(last) filter (where ${isSource}) as source_oldest,
        bool_or(is_known) filter (where ${isAccount} and ${isSource}) as is_known
      from guesses
    ), attempts as (
      select sum(times) as number, min(first) as oldest from recent where ${isAccount} and ${isSource}
    )
    select by_both > ${ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX} and number <= ${ATTEMPTS_OF_ANY_KIND_MAX} as "isKept",
      ceil(extract(epoch from
      greatest(
        case when number > ${ATTEMPTS_OF_ANY_KIND_MAX} then oldest end,
        case when by_both > ${ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX} then both_oldest end,
        case when by_account > ${ATTEMPTS_PER_ACCOUNT_MAX} and not is_known then account_oldest end,
        case when by_source > ${ATTEMPTS_PER_SOURCE_MAX} and not is_known
          or work > ${HASHES_PER_SOURCE_MAX} then source_oldest end
      ) + make_interval(mins => ${WINDOW_MINUTES}) - clock_timestamp()))::int as seconds
    from counts, attempts`);
  return found!;
}

const formatWait = (seconds: number) =>
  seconds < 90 ? pluralize(seconds, "second") : pluralize(Math.ceil(seconds / 60), "minute");

/**
 * Rate-limits lookups by unauthenticated clients, such as the token of a link: ten wrong guesses per source
 * in 15 minutes.
 *
 * @param what kind of lookup; each kind has its own count
 * @param look returns null for a wrong guess
 * @throws Refusal `rate_limit_exceeded`
 */
export async function guardGuess<T>(
  db: Db,
  { what, clientAddress }: { what: string; clientAddress: string },
  look: () => Promise<T | null>,
): Promise<T | null> {
  const account = `${what} link ${sourceNetwork(clientAddress)}`;
  const attempt = await countAttempt(db, { account, clientAddress, passwordMark: null });
  try {
    const found = await look();
    if (found !== null) await forgetAttempt(db, attempt);
    return found;
  } catch (error) {
    // Any other error isn't a wrong guess.
    if (error instanceof Refusal) await forgetAttempt(db, attempt);
    throw error;
  }
}

/**
 * Six digits are few: with three valid codes at a time, 30 attempts a day guess one within a year with a
 * probability of 3 %.
 */
export const CODES_PER_DAY_MAX = 30;

const MARK = "code ";

/**
 * Counts an attempt to enter a six-digit code, as `countAttempt` does, and also limits them per day: an
 * attacker with the password must not be able to try all codes. Each network where the account has signed in
 * with a second factor has its own daily count; all other networks share one, also those known from a password.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export async function countCodeAttempt(
  db: Db,
  attempt: { account: string; clientAddress: string },
): Promise<bigint> {
  const id = await countAttempt(db, { ...attempt, passwordMark: `${MARK}${randomUUID()}` });
  const account = normalizeAccount(attempt.account);
  const source = sourceNetwork(attempt.clientAddress);
  const [counted] = await db.execute<{ times: number; seconds: number }>(sql`
    with own as (
      select network from sign_in_networks where account = ${account}
        and second_factor_at > clock_timestamp() - make_interval(days => ${KNOWN_DAYS})
    ), shown as (
      select created_at from sign_in_attempts
      where email = ${account} and created_at > clock_timestamp() - interval '1 day'
        and starts_with(password_mark, ${MARK})
        and case when ${source} in (select network from own)
          then source = ${source} else source not in (select network from own) end
    )
    select count(*)::int as times,
      ceil(extract(epoch from min(created_at) + interval '1 day' - clock_timestamp()))::int as seconds
    from shown`);
  if (counted!.times <= CODES_PER_DAY_MAX) return id;
  await forgetAttempt(db, id);
  throw new Refusal(
    "rate_limit_exceeded",
    "Too many wrong codes today. Use a passkey or a recovery code, or try again tomorrow",
    { retryAfterSeconds: Math.max(1, counted!.seconds) },
  );
}

export type SignInErrorReason =
  "wrong_credentials" | "too_many_attempts" | "suspended" | "must_change_password" | "not_allowed";

/**
 * A rejected sign-in of a mailbox user. Only a correct password earns a more specific reason than
 * `wrong_credentials`.
 */
export class SignInError extends Error {
  override name = "SignInError";
  readonly why: SignInErrorReason;
  /** Only with `too_many_attempts`. */
  readonly retryAfterSeconds: number | null;

  constructor(
    why: SignInErrorReason,
    message: string,
    { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.why = why;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Deletes sign-in attempts after a day and networks that are no longer known. */
export async function deleteOldSignIns(db: Db): Promise<void> {
  await db
    .delete(signInAttempts)
    .where(lt(signInAttempts.createdAt, sql`clock_timestamp() - interval '1 day'`));
  await db
    .delete(signInNetworks)
    .where(
      lt(signInNetworks.lastSeenAt, sql`clock_timestamp() - make_interval(days => ${KNOWN_DAYS})`),
    );
}

/** How long a network stays known after its last use. */
export const KNOWN_DAYS = 90;

/** Records a sign-in from this network. Without a second factor, records at most one per hour. */
export async function rememberNetwork(
  db: Db,
  account: string,
  clientAddress: string,
  { withSecondFactor = false }: { withSecondFactor?: boolean } = {},
): Promise<void> {
  const now = sql<string>`clock_timestamp()`;
  const factor = withSecondFactor ? { secondFactorAt: now } : {};
  await db
    .insert(signInNetworks)
    .values({ account, network: sourceNetwork(clientAddress), ...factor })
    .onConflictDoUpdate({
      target: [signInNetworks.account, signInNetworks.network],
      set: { lastSeenAt: now, ...factor },
      setWhere: withSecondFactor
        ? undefined
        : lt(signInNetworks.lastSeenAt, sql`clock_timestamp() - interval '1 hour'`),
    });
}

/** Whether the account has signed in from this network in the last 90 days. */
export async function isKnownNetwork(
  db: Db,
  account: string,
  clientAddress: string,
): Promise<boolean> {
  const found = await db
    .select({ account: signInNetworks.account })
    .from(signInNetworks)
    .where(
      and(
        eq(signInNetworks.account, account),
        eq(signInNetworks.network, sourceNetwork(clientAddress)),
        gt(
          signInNetworks.lastSeenAt,
          sql`clock_timestamp() - make_interval(days => ${KNOWN_DAYS})`,
        ),
      ),
    );
  return found.length > 0;
}

/** Invalid addresses share one source. */
const UNKNOWN = "unknown";

/**
 * The source that attempts from an address are counted under: the address itself for IPv4, the /64 for IPv6,
 * which usually belongs to one household or server.
 */
export function sourceNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = [...parsed.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}

export type SignInOrigin = SessionOrigin & { clientAddress: string };

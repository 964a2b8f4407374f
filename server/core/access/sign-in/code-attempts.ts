import { randomUUID } from "node:crypto";

import { sql } from "drizzle-orm";

import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { KNOWN_DAYS } from "./networks.ts";
import { sourceNetwork } from "./source-network.ts";
import { normalizeAccount, countAttempt, forgetAttempt } from "./throttle.ts";

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

import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { lockFactors } from "#server/core/access/second-factors/lock-factors.ts";
import { clearFactors } from "#server/core/access/second-factors/remove-factor.ts";
import { guardGuess } from "#server/core/access/sign-in/guard-guess.ts";
import {
  endStep,
  findStep,
  newToken,
  type Step,
  startStep,
} from "#server/core/access/sign-in/steps.ts";
import { accountOf, countAttempt } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { confirmAddress, isAddressConfirmed } from "./confirm-address.ts";
import { findPerson } from "./find-person.ts";
import { auditInEachCompany } from "./in-each-company.ts";
import { givePassword, hashOf, requireGoodPassword } from "./internal/set-password.ts";

const MAILED = "password_reset";
const AT_SERVER = "password_reset_at_server";
/** How long a link leads to a new password. */
const RESET_MINUTES = 60;
/** Links of one person at a time: nobody's mailbox is filled by asking. */
const LINKS_MAX = 3;

/**
 * Somebody has forgotten the password of an address. Known and unknown addresses cost the same: whether
 * anybody has it is looked up by a job, which sends the link.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export async function askForReset(
  db: Db,
  { email: typed, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  const email = accountOf(typed);
  await countAttempt(db, { account: `reset ${email}`, clientAddress, passwordMark: null });
  await enqueue(db, "send_reset_link", { email });
}

/**
 * A link that leads the person to a new password once, within an hour. What opens it stands behind the
 * `#`: browsers send that to nobody, so no log has it.
 *
 * @param isMailed whether it goes to the person's address, and nowhere else
 */
export async function makeResetLink(
  db: Db,
  email: string,
  { isMailed }: { isMailed: boolean },
): Promise<string> {
  const token = newToken();
  const kind = isMailed ? MAILED : AT_SERVER;
  await startStep(db, { token, kind, email, secret: null, minutes: RESET_MINUTES });
  return `${config().baseUrl}/console/reset-password#${token}`;
}

/** Undoes a link that was to be mailed, and was not. */
export async function dropResetLink(db: Db, link: string): Promise<void> {
  await endStep(db, new URL(link).hash.slice(1), MAILED);
}

/** Whether the person was already mailed as many links as one may have. */
export async function hasManyLinks(db: Db, email: string): Promise<boolean> {
  const [counted] = await db.execute<{ links: number }>(sql`
    select count(*)::int as links from sign_in_steps
    where email = ${email} and kind = ${MAILED} and expires_at > clock_timestamp()`);
  return counted!.links >= LINKS_MAX;
}

type Guess = { token: string; clientAddress: string };

/**
 * The address that a link is for, and whether the person's second factors outlive its use.
 *
 * @throws Refusal `not_found` for a link that is used, over or made up; `rate_limit_exceeded`
 */
export async function readResetLink(
  db: Db,
  guess: Guess,
): Promise<{ email: string; keepsFactors: boolean }> {
  const { email, kind } = await requireLink(db, guess);
  return { email, keepsFactors: kind !== MAILED || (await isAddressConfirmed(db, email)) };
}

async function requireLink(db: Db, { token, clientAddress }: Guess): Promise<Step> {
  const look = () => findStep(db, token, MAILED, AT_SERVER);
  const found = await guardGuess(db, { what: "reset", clientAddress }, look);
  if (found && (await findPerson(db, found.email))) return found;
  throw overRefusal();
}

const overRefusal = () =>
  new Refusal("not_found", "This link is over: it works once, for an hour. Ask for another one");

/**
 * Sets the password that somebody chose who came by a link. All their sessions end; a second factor is
 * asked for at the next sign-in as ever. Only where the address was never confirmed, and a mailed link
 * confirms it now, the factors go: whoever set them up had not shown that the address is theirs.
 *
 * @throws Refusal `not_found` as `readResetLink`; `invalid` for a weak password, which leaves the link good
 */
export async function resetPassword(
  db: Db,
  { password, ...guess }: Guess & { password: string },
): Promise<void> {
  const { email, kind } = await requireLink(db, guess);
  await requireGoodPassword(db, email, password);
  const passwordHash = await hashOf(password);
  await db.transaction(async (tx) => {
    // The person first, as whoever changes a factor does.
    await lockFactors(tx, email);
    if (!(await endStep(tx, guess.token, kind))) throw overRefusal();
    const addressConfirmed = kind === MAILED && (await confirmAddress(tx, email));
    if (addressConfirmed && (await clearFactors(tx, email)))
      await auditInEachCompany(tx, { email }, "second_factor.all_removed", { email });
    const details = { addressConfirmed };
    await givePassword(tx, email, { passwordHash, by: "link", details });
  });
}

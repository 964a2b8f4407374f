import { sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { Refusal } from "#server/core/refusals.ts";
import { guardGuess } from "#server/core/sign-in/guard-guess.ts";
import { endStep, findStep, newToken, type Step, startStep } from "#server/core/sign-in/steps.ts";
import { accountOf, countAttempt } from "#server/core/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { findPerson } from "./find-person.ts";
import { givePassword, hashOf, requireGoodPassword } from "./set-password.ts";

const KIND = "password_reset";
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
 */
export async function makeResetLink(db: Db, email: string): Promise<string> {
  const token = newToken();
  await startStep(db, { token, kind: KIND, email, secret: null, minutes: RESET_MINUTES });
  return `${config().baseUrl}/console/reset-password#${token}`;
}

/** Undoes a link that nobody was sent. */
export async function dropResetLink(db: Db, link: string): Promise<void> {
  await endStep(db, new URL(link).hash.slice(1), KIND);
}

/** Whether the person already has as many links as one may have. */
export async function hasManyLinks(db: Db, email: string): Promise<boolean> {
  const [counted] = await db.execute<{ links: number }>(sql`
    select count(*)::int as links from sign_in_steps
    where email = ${email} and kind = ${KIND} and expires_at > clock_timestamp()`);
  return counted!.links >= LINKS_MAX;
}

type Guess = { token: string; clientAddress: string };

/**
 * The address that a link is for.
 *
 * @throws Refusal `not_found` for a link that is used, over or made up; `rate_limit_exceeded`
 */
export async function readResetLink(db: Db, guess: Guess): Promise<string> {
  return (await requireLink(db, guess)).email;
}

async function requireLink(db: Db, { token, clientAddress }: Guess): Promise<Step> {
  const look = () => findStep(db, token, KIND);
  const found = await guardGuess(db, { what: "reset", clientAddress }, look);
  if (found && (await findPerson(db, found.email))) return found;
  throw overRefusal();
}

const overRefusal = () =>
  new Refusal("not_found", "This link is over: it works once, for an hour. Ask for another one");

/**
 * Sets the password that somebody chose who came by a link. All their sessions end; a second factor is
 * asked for at the next sign-in as ever.
 *
 * @throws Refusal `not_found` as `readResetLink`; `invalid` for a weak password, which leaves the link good
 */
export async function resetPassword(
  db: Db,
  { password, ...guess }: Guess & { password: string },
): Promise<void> {
  const { email } = await requireLink(db, guess);
  await requireGoodPassword(db, email, password);
  const passwordHash = await hashOf(password);
  await db.transaction(async (tx) => {
    if (!(await endStep(tx, guess.token, KIND))) throw overRefusal();
    await givePassword(tx, email, { passwordHash, by: "link" });
  });
}

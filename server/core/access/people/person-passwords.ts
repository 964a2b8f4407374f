import { eq, sql } from "drizzle-orm";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { hashPassword, requireStrongPassword } from "#server/core/access/admins/password.ts";
import {
  clearFactors,
  removeAllFactors,
} from "#server/core/access/second-factors/factor-changes.ts";
import {
  hasSecondFactor,
  lockFactors,
  personAccount,
} from "#server/core/access/second-factors/factors.ts";
import { endSessionsOfPerson } from "#server/core/access/sessions/console-sessions.ts";
import { type SignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import {
  endPersonSteps,
  endStep,
  findStep,
  newToken,
  type SignInStep,
  startStep,
} from "#server/core/access/sign-in/steps.ts";
import {
  countAttempt,
  guardGuess,
  normalizeAccount,
  type SignInOrigin,
} from "#server/core/access/sign-in/throttle.ts";
import type { Actor } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import {
  auditInEachCompany,
  confirmAddress,
  findPerson,
  isAddressConfirmed,
  isHosted,
  notifyPerson,
  requireOwnPassword,
} from "./people.ts";

/**
 * Changes the caller's password, which applies to all of their companies. Ends all their sessions and starts
 * a new one in place of the current one.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `invalid` for a wrong current password, or a new one that is weak or unchanged;
 *   `rate_limit_exceeded`; `not_signed_in` if the session has ended meanwhile
 */
export async function changeOwnPassword(
  db: Db,
  { id, email, sessionId, providerId }: Pick<SignedIn, "id" | "email" | "sessionId" | "providerId">,
  passwords: { current: string; next: string },
  origin: SignInOrigin,
): Promise<string> {
  const { clientAddress } = origin;
  await requireOwnPassword(db, { email, password: passwords.current, clientAddress });
  await requireGoodPassword(db, email, passwords.next);
  if (passwords.next === passwords.current)
    throw new Refusal("invalid", "password: must differ from your current one");
  const passwordHash = await hashPassword(passwords.next);
  return db.transaction(async (tx) => {
    await requireSession(tx, { email, sessionId });
    await setPersonPassword(tx, email, { passwordHash, by: "change" });
    return startSession(tx, id, { ...origin, providerId });
  });
}

/** Locks the person, so that of two concurrent changes the second finds its session ended. */
async function requireSession(
  tx: Db,
  { email, sessionId }: Pick<SignedIn, "email" | "sessionId">,
): Promise<void> {
  await tx
    .select({ email: people.email })
    .from(people)
    .where(eq(people.email, email))
    .for("no key update");
  if ((await tx.$count(sessions, eq(sessions.id, sessionId))) === 0)
    throw new Refusal("not_signed_in", "You're not signed in");
}

const MAILED = "password_reset";
const AT_SERVER = "password_reset_at_server";
const RESET_MINUTES = 60;

/** Open links per person, so that requests can't flood a mailbox. */
const LINKS_MAX = 3;

/**
 * Requests a password reset link. A job looks up the address and sends the link, so that known and unknown
 * addresses take the same time.
 *
 * @throws Refusal `rate_limit_exceeded`
 */
export async function requestPasswordReset(
  db: Db,
  { email: typed, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  const email = normalizeAccount(typed);
  await countAttempt(db, { account: `reset ${email}`, clientAddress, passwordMark: null });
  await enqueue(db, "send_reset_link", { email });
}

/**
 * Creates a single-use password reset link that is valid for an hour. The token is in the fragment, which
 * browsers don't send, so it isn't logged.
 *
 * @param isMailed whether the link is only sent to the person's address
 */
export async function createResetLink(
  db: Db,
  email: string,
  { isMailed }: { isMailed: boolean },
): Promise<string> {
  const token = newToken();
  const kind = isMailed ? MAILED : AT_SERVER;
  await startStep(db, { token, kind, email, secret: null, minutes: RESET_MINUTES });
  return `${config().baseUrl}/console/reset-password#${token}`;
}

/** Invalidates a link that could not be emailed. */
export async function deleteResetLink(db: Db, link: string): Promise<void> {
  await endStep(db, new URL(link).hash.slice(1), MAILED);
}

/** Whether the person has the maximum number of open links. */
export async function hasMaxResetLinks(db: Db, email: string): Promise<boolean> {
  const [counted] = await db.execute<{ links: number }>(sql`
    select count(*)::int as links from sign_in_steps
    where email = ${email} and kind = ${MAILED} and expires_at > clock_timestamp()`);
  return counted!.links >= LINKS_MAX;
}

type Guess = { token: string; clientAddress: string };

/**
 * Reads a reset link: its address, and whether the person's second factors survive its use.
 *
 * @throws Refusal `not_found` for a link that was used, expired or never existed; `rate_limit_exceeded`
 */
export async function readResetLink(
  db: Db,
  guess: Guess,
): Promise<{ email: string; keepsFactors: boolean }> {
  const step = await requireLink(db, guess);
  return { email: step.email, keepsFactors: await keepsFactors(db, step) };
}

/** An emailed link to an address on this server keeps them too, because an admin here may have let others read its mail. */
const keepsFactors = async (db: Db, { kind, email }: SignInStep): Promise<boolean> =>
  kind !== MAILED || (await isAddressConfirmed(db, email)) || (await isHosted(db, email));

async function requireLink(db: Db, { token, clientAddress }: Guess): Promise<SignInStep> {
  const look = () => findStep(db, token, MAILED, AT_SERVER);
  const found = await guardGuess(db, { what: "reset", clientAddress }, look);
  if (found && (await findPerson(db, found.email))) return found;
  throw linkExpired();
}

const linkExpired = () =>
  new Refusal("not_found", "This link has expired or was already used. Request a new one");

/**
 * Sets a new password through a reset link and ends all the person's sessions. Second factors stay, unless an emailed
 * link confirms the address for the first time: then they may have been set up by someone else. At an address on this
 * server they stay nevertheless, and the address stays unconfirmed until they are removed.
 *
 * @throws Refusal `not_found` as `readResetLink`; `invalid` for a weak password, which leaves the link valid
 */
export async function resetPassword(
  db: Db,
  { password, ...guess }: Guess & { password: string },
): Promise<void> {
  const step = await requireLink(db, guess);
  const { email, kind } = step;
  await requireGoodPassword(db, email, password);
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    // Lock the person first, in the same order as changes to factors do.
    const factors = await lockFactors(tx, personAccount(email));
    if (!(await endStep(tx, guess.token, kind))) throw linkExpired();
    const keeps = hasSecondFactor(factors) && (await keepsFactors(tx, step));
    const addressConfirmed = kind === MAILED && !keeps && (await confirmAddress(tx, email));
    if (addressConfirmed && (await clearFactors(tx, personAccount(email))))
      await auditInEachCompany(tx, { email }, "second_factor.all_removed", { email });
    const details = { addressConfirmed };
    await setPersonPassword(tx, email, { passwordHash, by: "link", details });
  });
}

const AT_THE_SERVER: Actor = { kind: "system", task: "posthouse admin reset-password" };

/**
 * Creates a password reset link at the server's command line, for an admin who is locked out.
 *
 * @param withoutSecondFactor also removes the person's second factors and ends their sessions at once
 * @throws Refusal `not_found` if no one can sign in with the address
 */
export async function createResetLinkAtServer(
  db: Db,
  typed: string,
  { withoutSecondFactor }: { withoutSecondFactor: boolean },
): Promise<{ email: string; link: string }> {
  const person = await findPerson(db, normalizeAccount(typed));
  if (!person) throw new Refusal("not_found", `No admin signs in with "${typed.trim()}"`);
  const { email } = person;
  if (withoutSecondFactor) await removeAllFactors(db, email, AT_THE_SERVER);
  return db.transaction(async (tx) => {
    const details = { email, at: "command_line" };
    await auditInEachCompany(tx, { email, actor: AT_THE_SERVER }, "admin.reset_link_made", details);
    return { email, link: await createResetLink(tx, email, { isMailed: false }) };
  });
}

/**
 * Rejects a password that is too weak for the person.
 *
 * @throws Refusal `invalid` beginning with `password`
 */
async function requireGoodPassword(db: Db, email: string, password: string): Promise<void> {
  const known = await db
    .select({ name: admins.name, company: companies.name })
    .from(admins)
    .innerJoin(companies, eq(companies.id, admins.companyId))
    .where(eq(admins.email, email));
  const words = known.flatMap(({ name, company }) => [name, company]);
  await requireStrongPassword(password, [email.split("@")[0]!, ...words]);
}

/**
 * Sets a person's password, which must have passed `requireGoodPassword`. Ends their sessions and pending
 * sign-in steps and notifies them by email. Call in a transaction.
 *
 * @param actor who did it; defaults to the person
 * @param details for the audit log, in addition to the address
 */
export async function setPersonPassword(
  db: Db,
  email: string,
  {
    passwordHash,
    actor,
    by,
    details = {},
  }: {
    passwordHash: string;
    actor?: Actor;
    by: "change" | "link";
    details?: Record<string, unknown>;
  },
): Promise<void> {
  await db.update(people).set({ passwordHash }).where(eq(people.email, email));
  await endSessionsOfPerson(db, email);
  await endPersonSteps(db, email);
  const action = by === "link" ? "admin.password_reset" : "admin.password_changed";
  await auditInEachCompany(db, { email, ...(actor && { actor }) }, action, { email, ...details });
  await notifyPerson(db, { email, what: "password_changed" });
}

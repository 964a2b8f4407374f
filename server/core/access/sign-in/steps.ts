import { createHash, randomBytes } from "node:crypto";

import { parseCookie, stringifySetCookie } from "cookie";
import { and, eq, gt, isNotNull, lt, not, or, sql } from "drizzle-orm";

import { signInSteps } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { hashPassword } from "#server/core/access/admins/password.ts";
import { recordAuditsAcross } from "#server/core/shared/audit/record-audit.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

export type StepKind = (typeof signInSteps.$inferInsert)["kind"];

/** A pending step of a sign-in. */
export type SignInStep = {
  kind: StepKind;
  /** The address that the admin or mailbox user signs in with. */
  email: string;
  /** The challenge to sign, or the sealed secret to confirm. */
  secret: string | null;
  /** The identity provider that was used instead of a password. */
  providerId: string | null;
};

const TOKEN_BYTES = 32;
const FAILURES_MAX = 5;

const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");

/** A 256-bit token. */
export const newToken = () => randomBytes(TOKEN_BYTES).toString("base64url");

/** For steps of a signed-in person, the session serves as the token, one step of each kind. */
export const sessionStepToken = (sessionId: string, kind: StepKind) => `${kind} ${sessionId}`;

/** Whose step it is. */
type StepAccount = { kind: "person" | "mailbox"; email: string };

/** The link with which a mailbox user sets the password. */
type MailboxLink = { kind: "mailbox_password"; mailbox: string };

/** A step of an account's second factor. */
type FactorStep = {
  kind: StepKind;
  account: StepAccount;
  secret: string | null;
  providerId?: string | null;
};

type NewStep = Omit<SignInStep, "providerId"> | MailboxLink | FactorStep;

export const stepExpired = () =>
  new Refusal("not_signed_in", "This sign-in attempt has expired. Sign in again");

/** Starts a step, replacing one with the same token. */
export async function startStep(
  db: Db,
  { token, minutes, ...given }: NewStep & { token: string; minutes: number },
): Promise<void> {
  const row = {
    ...toColumns(given),
    failures: 0,
    expiresAt: sql<string>`clock_timestamp() + make_interval(mins => ${minutes})`,
  };
  await db
    .insert(signInSteps)
    .values({ ...row, tokenHash: hashToken(token) })
    .onConflictDoUpdate({ target: signInSteps.tokenHash, set: row });
}

function toColumns(step: NewStep) {
  if (!("account" in step)) return step;
  const { kind, account, secret, providerId = null } = step;
  const { email } = account;
  return {
    kind,
    secret,
    providerId,
    ...(account.kind === "person" ? { email } : { mailbox: email }),
  };
}

const isPending = (token: string, kind: StepKind) =>
  and(
    eq(signInSteps.tokenHash, hashToken(token)),
    eq(signInSteps.kind, kind),
    gt(signInSteps.expiresAt, sql`clock_timestamp()`),
  );

/**
 * Reads a step and counts a wrong answer in advance, so that concurrent attempts can't exceed the limit. Null
 * if there is no such step or it has had five wrong answers.
 */
export async function tryStep(
  db: Db,
  token: string,
  { kind, of }: { kind: StepKind; of: StepAccount["kind"] },
): Promise<SignInStep | null> {
  const { email, mailbox } = signInSteps;
  const isOfAccount = isNotNull(of === "person" ? email : mailbox);
  const [step] = await db
    .update(signInSteps)
    .set({ failures: sql`${signInSteps.failures} + 1` })
    .where(and(isPending(token, kind), isOfAccount, lt(signInSteps.failures, FAILURES_MAX)))
    .returning();
  const account = step?.email ?? step?.mailbox;
  return step && account ? { ...step, kind, email: account } : null;
}

/** Marks a value as used, to prevent replays of intercepted ones. Returns false if it was already used. */
export async function markUsed(
  db: Db,
  value: string,
  { kind, minutes }: { kind: StepKind; minutes: number },
): Promise<boolean> {
  const marked = await db
    .insert(signInSteps)
    .values({
      tokenHash: hashToken(`used ${value}`),
      kind,
      expiresAt: sql`clock_timestamp() + make_interval(mins => ${minutes})`,
    })
    .onConflictDoNothing()
    .returning({ kind: signInSteps.kind });
  return marked.length > 0;
}

/** Ends the step; false if it has already ended, since a step is used once. */
export async function endStep(db: Db, token: string, kind: StepKind): Promise<boolean> {
  const ended = await db
    .delete(signInSteps)
    .where(isPending(token, kind))
    .returning({ kind: signInSteps.kind });
  return ended.length > 0;
}

/** Reads a step without counting an attempt. */
export async function findStep(
  db: Db,
  token: string,
  ...kinds: [StepKind, ...StepKind[]]
): Promise<SignInStep | null> {
  const [step] = await db
    .select()
    .from(signInSteps)
    .where(or(...kinds.map((kind) => isPending(token, kind))));
  const account = step?.email ?? step?.mailbox;
  return step && account ? { ...step, email: account } : null;
}

/** The mailbox of a pending link; null without one. */
export async function findMailboxStep(db: Db, token: string): Promise<string | null> {
  const [step] = await db
    .select({ mailbox: signInSteps.mailbox })
    .from(signInSteps)
    .where(isPending(token, "mailbox_password"));
  return step?.mailbox ?? null;
}

/** Ends all pending links and steps of a mailbox. */
export async function endMailboxSteps(db: Db, mailbox: string): Promise<void> {
  await db.delete(signInSteps).where(eq(signInSteps.mailbox, mailbox));
}

/**
 * Revokes credentials that an admin with fewer privileges may know: pending links and steps, and temporary passwords with their sessions, of each
 * mailbox that has one of these addresses, itself or as an alias. Call in the transaction that gives these people more privileges.
 */
export async function endGivenCredentials(db: Db, emails: string[]): Promise<void> {
  const own = sql`any(array(
    with person as (select jsonb_array_elements_text(${JSON.stringify(emails)}::jsonb) as email)
    select email from person
    union select mailbox from aliases join person on address = email))`;
  await db.execute(sql`delete from sign_in_steps where mailbox = ${own}`);
  const mustChange = sql`address = ${own} and force_password_change`;
  const given = await db.execute(sql`select from mailboxes where ${mustChange} limit 1`);
  if (given.length === 0) return;
  const ended = await db.execute<{ companyId: string; mailbox: string }>(sql`
    with ended as (
      update mailboxes set password_hash = ${await hashPassword(newToken())} where ${mustChange}
      returning address, company_id
    ), sessions as (
      delete from mailbox_sessions using ended where user_id = ended.address and provider_id is null
    )
    select company_id as "companyId", address as mailbox from ended`);
  const entries = ended.map(({ companyId, mailbox }) => ({ companyId, details: { mailbox } }));
  // The mailbox may be another company's, which must not learn who made its user an admin.
  const actor = { kind: "system", task: "end_given_credentials" } as const;
  await recordAuditsAcross({ db, actor }, "mailbox.password_ended", entries);
}

/** Ends the pending steps of a mailbox user's second factor; links to set a password keep working. */
export async function endMailboxFactorSteps(db: Db, mailbox: string): Promise<void> {
  const isLink = eq(signInSteps.kind, "mailbox_password");
  await db.delete(signInSteps).where(and(eq(signInSteps.mailbox, mailbox), not(isLink)));
}

/** Ends all pending steps of a person. */
export async function endPersonSteps(db: Db, email: string): Promise<void> {
  await db.delete(signInSteps).where(eq(signInSteps.email, email));
}

/** Each area has its own cookie, so that a browser can sign in to both at the same time. */
type SignInArea = "console" | "account";

const NAMES = { console: "posthouse_step", account: "posthouse_account_step" };

const isHttps = () => config().baseUrl.startsWith("https:");
const cookieName = (area: SignInArea) => (isHttps() ? `__Host-${NAMES[area]}` : NAMES[area]);

/**
 * Set-Cookie value for the token of a sign-in step.
 *
 * @param minutes lifetime; 0 clears the cookie
 */
export const stepCookie = (area: SignInArea, token: string, minutes: number): string =>
  stringifySetCookie({
    name: cookieName(area),
    value: token,
    httpOnly: true,
    maxAge: minutes * 60,
    path: "/",
    sameSite: "strict",
    secure: isHttps(),
  });

/** Reads the step's token from a Cookie header; empty if there is none. */
export const readStepCookie = (area: SignInArea, cookieHeader: string): string =>
  parseCookie(cookieHeader)[cookieName(area)] ?? "";

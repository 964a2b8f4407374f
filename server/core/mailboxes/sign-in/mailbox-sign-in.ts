import { timingSafeEqual } from "node:crypto";

import { and, eq, getViewSelectedFields, inArray, lt, ne, or, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  type AppPassword,
  appPasswords,
  companies,
  type Mailbox,
  mailboxes,
  mailboxPolicies,
  type MailboxPolicy,
  signInAttempts,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { normalizePassword } from "#server/core/access/admins/password.ts";
import { mailboxHasFactor } from "#server/core/access/second-factors/factors.ts";
import { findWebmailUser } from "#server/core/access/sessions/webmail-password.ts";
import {
  rememberNetwork,
  sourceNetwork,
  countAttempt,
  forgetAttempt,
  normalizeAccount,
  SignInError,
} from "#server/core/access/sign-in/throttle.ts";
import { passwordMark, verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import {
  isProviderRequired,
  signsInWithProvider,
} from "#server/core/access/single-sign-on/mailbox-links.ts";
import {
  hashAppPassword,
  recordAppPasswordUse,
} from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

export { SignInError } from "#server/core/access/sign-in/throttle.ts";

/** What the user signs in to. Dovecot checks `imap`, `pop3` and `sieve` itself, by the same rules. */
export type MailService = "smtp" | "calendar" | "imap" | "pop3" | "sieve" | "account";

export type SignedInMailbox = Pick<Mailbox, "address" | "companyId" | "domainId" | "name"> & {
  credential: Credential["kind"];
  /** Only with service `account`: only the page to change the password is open. */
  forcePasswordChange: boolean;
  /** Only with service `account`, where the caller checks it: the password is right, but single sign-on is required. */
  isProviderRequired: boolean;
  policy: MailboxPolicy;
};

export type MailboxAttempt = {
  /** As typed: the address of the mailbox or of an alias. */
  username: string;
  password: string;
  /** An IP address. */
  clientAddress: string;
  service: MailService;
};

/**
 * Authenticates a mailbox user with the password or an app password, and remembers the network, except at `/account`,
 * where a second factor may follow. Unknown addresses and wrong passwords cost the same, get the same error and count
 * toward the sign-in limits.
 *
 * @throws SignInError
 */
export async function authenticateMailbox(
  db: Db,
  attempt: MailboxAttempt,
): Promise<SignedInMailbox> {
  const account = await findAccount(db, attempt.username);
  const isWebmail = (await findWebmailUser(db, account, attempt.password)) !== null;
  const mark = passwordMark(account, attempt.password);
  const { clientAddress } = attempt;
  const counted = await toSignInError(
    countAttempt(db, { account, clientAddress, passwordMark: mark, isSure: isWebmail }),
  );
  const mailbox = await findMailbox(db, account);
  const credential = isWebmail
    ? ({ kind: "webmail" } as const)
    : await toSignInError(findCredential(mailbox, attempt.password));
  if (!mailbox || !credential)
    throw new SignInError("wrong_credentials", "The address or password is incorrect");

  await forgetAttempt(db, counted);
  requireSignInAllowed(mailbox, credential, attempt.service);
  if (attempt.service !== "account" && credential.kind !== "webmail")
    await rememberNetwork(db, account, clientAddress);
  if (credential.kind === "app_password")
    await recordAppPasswordUse(db, credential.id, {
      usedFor: attempt.service,
      from: clientAddress,
    });
  const { address, companyId, domainId, name, policy } = mailbox;
  const { forcePasswordChange, isProviderRequired } = mailbox;
  return {
    address,
    companyId,
    domainId,
    name,
    forcePasswordChange,
    isProviderRequired,
    policy,
    credential: credential.kind,
  };
}

export type Credential =
  { kind: "password" | "webmail" } | ({ kind: "app_password" } & Pick<AppPassword, "id" | "scope">);

async function findCredential(
  mailbox: KnownMailbox | null,
  password: string,
): Promise<Credential | null> {
  const hash = Buffer.from(hashAppPassword(password), "hex");
  const matching = mailbox?.appPasswords.find(({ secretHash }) =>
    timingSafeEqual(Buffer.from(secretHash, "hex"), hash),
  );
  if (matching) return { kind: "app_password", id: matching.id, scope: matching.scope };
  const isRight = await verifyPassword(password, mailbox?.passwordHash ?? null);
  return isRight ? { kind: "password" } : null;
}

/** The throttle throws API errors. */
async function toSignInError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { retryAfterSeconds } = error;
    throw new SignInError("too_many_attempts", error.message, { retryAfterSeconds });
  }
}

/** A sign-in attempt that Dovecot reports. */
export type DovecotAttempt = {
  /** From `findAccount`. */
  account: string;
  password: string;
  clientAddress: string;
  /** Identifies the session, in Dovecot's password query too. */
  checkKey: string;
};

/**
 * Counts an attempt before Dovecot checks the password: its password query finds only attempts that were counted. An app
 * password, and a password that isn't typed in the form that is hashed, are checked here, since Dovecot can't normalize them.
 *
 * @returns the error message for the user, or null
 */
export async function countDovecotAttempt(
  db: Db,
  { account, password, clientAddress, checkKey }: DovecotAttempt,
): Promise<string | null> {
  try {
    const credential = await findAppPassword(db, account, password);
    const attempt = { account, clientAddress, passwordMark: passwordMark(account, password) };
    const isSure = credential === "webmail";
    const id = await countAttempt(db, { ...attempt, isSure, dovecot: { checkKey, credential } });
    if (!credential && password !== normalizePassword(password))
      await checkPassword(db, id, { account, password });
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

async function findAppPassword(db: Db, account: string, password: string): Promise<string | null> {
  const [found] = await db
    .select({ id: appPasswords.id })
    .from(appPasswords)
    .where(
      and(
        eq(appPasswords.mailbox, account),
        eq(appPasswords.secretHash, hashAppPassword(password)),
      ),
    );
  if (found) return `app:${found.id}`;
  return (await findWebmailUser(db, account, password)) ? "webmail" : null;
}

async function checkPassword(
  db: Db,
  id: bigint,
  { account, password }: { account: string; password: string },
): Promise<void> {
  const [mailbox] = await db
    .select({ passwordHash: mailboxes.passwordHash })
    .from(mailboxes)
    .where(eq(mailboxes.address, account));
  if (await verifyPassword(password, mailbox?.passwordHash ?? null))
    await db.update(signInAttempts).set({ credential: "main" }).where(eq(signInAttempts.id, id));
}

/**
 * After a correct password: deletes the counted attempts with it and remembers the network.
 *
 * @param credential `main`, `app:` and the id of the app password, or `webmail`
 * @param service `imap`, `pop3` or `sieve`
 */
export async function recordDovecotSignIn(
  db: Db,
  { account, password, clientAddress, checkKey }: DovecotAttempt,
  { credential, service }: { credential: string; service: string },
): Promise<void> {
  await db.delete(signInAttempts).where(
    and(
      eq(signInAttempts.email, account),
      eq(signInAttempts.source, sourceNetwork(clientAddress)),
      eq(signInAttempts.passwordMark, passwordMark(account, password)),
      or(
        eq(signInAttempts.checkKey, checkKey),
        // Dovecot may not have looked up later ones yet.
        lt(signInAttempts.createdAt, sql`clock_timestamp() - interval '1 minute'`),
      ),
    ),
  );
  // Webmail connects from this server, not from the user's network.
  if (credential !== "webmail") await rememberNetwork(db, account, clientAddress);
  const id = credential.startsWith("app:") ? credential.slice("app:".length) : "";
  if (isUuid(id)) await recordAppPasswordUse(db, id, { usedFor: service, from: clientAddress });
}

const RECENT_DAYS = 7;

/** How a company's active mailboxes sign in. */
export type ProviderUse = {
  /** Linked to an account at the identity provider. */
  linked: number;
  /** Signed in with a mail app in the last seven days, but with no app password. */
  withPassword: number;
  /** Their unit doesn't allow app passwords. */
  withoutAppPasswords: number;
};

/** Counts what requiring single sign-on would change for mailbox users. Dovecot records only the last sign-in of a mailbox. */
export async function countProviderUse({ db, companyId }: CompanyScope): Promise<ProviderUse> {
  const since = sql`statement_timestamp() - make_interval(days => ${RECENT_DAYS})`;
  const [counts] = await db.execute<ProviderUse>(sql`
    select
      (count(*) filter (where exists (
        select from mailbox_identities n where n.mailbox = m.address)))::int as linked,
      (count(*) filter (where to_timestamp(greatest(s.last_sign_in, s.last_pop3)) > ${since}
        and not exists (select from app_passwords a
          where a.mailbox = m.address and a.last_used_at > ${since})))::int as "withPassword",
      (count(*) filter (where not p.app_passwords_allowed))::int as "withoutAppPasswords"
    from mailboxes m join mailbox_policies p on p.address = m.address
      left join mailbox_sign_ins s on s.address = m.address
    where m.company_id = ${companyId} and m.suspended_at is null`);
  return counts!;
}

/**
 * The address that a name signs in as, with every protocol: that of the mailbox for one of its aliases or with a `+tag`,
 * otherwise the normalized name. So all names of a mailbox share its limits. A catch-all and a group are no names.
 *
 * @param typed as typed; the mailbox need not exist
 */
export async function findAccount(db: Db, typed: string): Promise<string> {
  const name = normalizeAccount(typed);
  const untagged = name.replace(/\+[^@]*@/, "@");
  const [found] = await db
    .select({ mailbox: sql<string>`coalesce(${aliases.mailbox}, ${addresses.address})` })
    .from(addresses)
    .leftJoin(aliases, eq(aliases.address, addresses.address))
    .where(
      and(
        inArray(addresses.address, [name, untagged]),
        ne(sql`left(${addresses.address}, 2)`, "*@"),
        or(eq(addresses.kind, "mailbox"), eq(aliases.active, true)),
      ),
    )
    .orderBy(sql`length(${addresses.address}) desc`)
    .limit(1);
  return found?.mailbox ?? name;
}

/** What deciding about a sign-in needs. */
export type KnownMailbox = Pick<
  Mailbox,
  "address" | "companyId" | "domainId" | "name" | "store" | "passwordHash" | "forcePasswordChange"
> & {
  isSuspended: boolean;
  hasSecondFactor: boolean;
  /** The company's mailbox users have to sign in with its identity provider. */
  isProviderRequired: boolean;
  /** The mailbox user signs in with it, and may never have set a password. */
  signsInWithProvider: boolean;
  policy: MailboxPolicy;
  appPasswords: Pick<AppPassword, "id" | "scope" | "secretHash">[];
};

/** Finds a mailbox by its lowercase address. Suspending a company suspends its mailboxes. */
export async function findMailbox(db: Db, address: string): Promise<KnownMailbox | null> {
  const [found] = await db
    .select({
      address: mailboxes.address,
      companyId: mailboxes.companyId,
      domainId: mailboxes.domainId,
      name: mailboxes.name,
      store: mailboxes.store,
      passwordHash: mailboxes.passwordHash,
      isSuspended: sql<boolean>`${mailboxes.suspendedAt} is not null or ${companies.suspendedAt} is not null`,
      forcePasswordChange: mailboxes.forcePasswordChange,
      hasSecondFactor: mailboxHasFactor,
      isProviderRequired,
      signsInWithProvider,
      policy: getViewSelectedFields(mailboxPolicies),
    })
    .from(mailboxes)
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .innerJoin(mailboxPolicies, eq(mailboxPolicies.address, mailboxes.address))
    .where(eq(mailboxes.address, address));
  // Also queried for unknown addresses, so that timing doesn't reveal them.
  const { id, scope, secretHash } = appPasswords;
  const secrets = await db
    .select({ id, scope, secretHash })
    .from(appPasswords)
    .where(eq(appPasswords.mailbox, address));
  return found ? { ...found, appPasswords: secrets } : null;
}

/**
 * Checks whether a user with correct credentials can sign in to the service. Dovecot's password queries
 * (mail/dovecot/sql-conf.ts) apply the same rules in the same order.
 *
 * @throws SignInError
 */
export function requireSignInAllowed(
  mailbox: KnownMailbox,
  credential: Credential,
  service: MailService,
): void {
  const { kind } = credential;
  if (mailbox.isSuspended) throw new SignInError("suspended", "This mailbox is suspended.");
  if (service === "account") {
    if (kind !== "password")
      throw notAllowed("App passwords don't work here. Enter the mailbox password.");
    return;
  }
  if (kind === "password" && mailbox.isProviderRequired)
    throw notAllowed(`Your company requires single sign-on. Use an app password: ${accountUrl()}`);
  const needsNoPassword = kind !== "password" && mailbox.signsInWithProvider;
  if (mailbox.forcePasswordChange && !needsNoPassword)
    throw new SignInError("must_change_password", `Set a new password first: ${accountUrl()}`);
  if (!isServiceAllowed(mailbox, { kind, service }))
    throw notAllowed("Your company does not allow this protocol.");
  requireCredentialAllowed(mailbox, credential, service);
}

function requireCredentialAllowed(
  { hasSecondFactor, policy }: KnownMailbox,
  credential: Credential,
  service: MailService,
): void {
  const { kind } = credential;
  if (kind === "app_password" && !policy.appPasswordsAllowed)
    throw notAllowed("Your company does not allow app passwords.");
  if (kind === "app_password") requireScope(credential.scope, service);
  if (kind === "password" && hasSecondFactor && policy.appPasswordsAllowed)
    throw notAllowed(`Two-factor authentication is on. Use an app password: ${accountUrl()}`);
}

const accountUrl = () => `${config().baseUrl}/account`;
const notAllowed = (message: string) => new SignInError("not_allowed", message);

function requireScope(scope: AppPassword["scope"], service: MailService): void {
  if (scope === "all" || (scope === "calendar") === (service === "calendar")) return;
  const things = scope === "calendar" ? "calendars and contacts" : "mail";
  throw notAllowed(`This app password is only for ${things}. Create another: ${accountUrl()}`);
}

/** Webmail can read mail even where the unit's policy allows no mail apps. Its password opens nothing else. */
function isServiceAllowed(
  { policy }: KnownMailbox,
  { kind, service }: { kind: Credential["kind"]; service: Exclude<MailService, "account"> },
): boolean {
  if (kind === "webmail" && service !== "smtp") return service === "imap" || service === "sieve";
  const allowed = {
    smtp: policy.submissionAllowed,
    calendar: policy.calendarAllowed,
    imap: policy.imapAllowed,
    pop3: policy.pop3Allowed,
    sieve: policy.imapAllowed || policy.pop3Allowed,
  };
  return allowed[service];
}

import { and, eq, isNull, sql } from "drizzle-orm";
import { adminIdentities, admins, type IdentityProvider, people } from "#drizzle/schema/index.ts";
import {
  type SignInResult,
  startFactorStep,
  verifyFactorStep,
} from "#server/core/access/second-factors/factor-step.ts";
import { personAccount } from "#server/core/access/second-factors/factors.ts";
import {
  type AuthenticationResponseJSON,
  createPasskeyRequest,
  PASSKEY_MINUTES,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyPasskey,
} from "#server/core/access/second-factors/passkeys.ts";
import { type Proof, proofKind } from "#server/core/access/second-factors/proofs.ts";
import { type SessionOrigin, startSession } from "#server/core/access/sessions/sessions.ts";
import {
  rememberNetwork,
  type SignInOrigin,
  countAttempt,
  forgetAttempt,
  normalizeAccount,
} from "#server/core/access/sign-in/throttle.ts";
import { endStep, markUsed, stepExpired } from "#server/core/access/sign-in/steps.ts";
import { passwordMark, verifyPassword } from "#server/core/access/sign-in/verify-password.ts";
import { passwordNotAllowed } from "#server/core/access/single-sign-on/mailbox-links.ts";
import {
  finishProviderAttempt,
  identifyAccount,
  type Identity,
  type ProviderAnswer,
} from "#server/core/access/single-sign-on/provider-attempt.ts";
import { count } from "#server/core/platform/monitoring/counters.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal, SealError, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";
import { findPerson, type SignInCandidate } from "./people.ts";

/**
 * Signs an admin in with a password, or asks for a second factor if they have one. An unknown address, a
 * wrong password and a suspended admin get the same error after the same time.
 *
 * @throws Refusal `wrong_credentials`, `rate_limit_exceeded`; `not_allowed` if only an identity provider can sign them in
 */
export async function signInAdmin(
  db: Db,
  { email: typed, password, origin }: { email: string; password: string; origin: SignInOrigin },
): Promise<SignInResult> {
  const email = normalizeAccount(typed);
  const { clientAddress } = origin;
  const mark = passwordMark(email, password);
  const attempt = await countAttempt(db, { account: email, clientAddress, passwordMark: mark });
  const person = await findPerson(db, email);
  if (!(await verifyPassword(password, person?.passwordHash ?? null)) || !person) {
    count("posthouse_sign_ins_total", { service: "console", result: "failed" });
    auditFailedSignIn(db, email, { by: "password", clientAddress });
    throw new Refusal("wrong_credentials", "The email address or password is incorrect");
  }
  await forgetAttempt(db, attempt);
  requirePasswordAllowed(person);
  const step = await startFactorStep(db, personAccount(email));
  if (step) return { kind: "second_factor", ...step };
  return {
    kind: "signed_in",
    cookie: await completeSignIn(db, person, { by: "password", origin }),
  };
}

/**
 * Starts a session for an authenticated person.
 *
 * @param providerId the identity provider that authenticated them
 * @returns its Set-Cookie value
 * @throws Refusal `wrong_credentials` if the password has changed since `person` was read; `not_allowed` if only an identity
 *   provider can sign them in
 */
export async function completeSignIn(
  db: Db,
  person: SignInCandidate,
  {
    by,
    origin,
    withSecondFactor = false,
    providerId = null,
  }: { by: string; origin: SignInOrigin; withSecondFactor?: boolean; providerId?: string | null },
): Promise<string> {
  requirePasswordAllowed(person);
  // A provider speaks only for its company, so it can't exempt a network from the limits on the person's password.
  if (!providerId || withSecondFactor)
    await rememberNetwork(db, person.email, origin.clientAddress, { withSecondFactor });
  count("posthouse_sign_ins_total", { service: "console", result: "succeeded" });
  return db.transaction(async (tx) => {
    await requireUnchanged(tx, person);
    await auditSessionStart(tx, person, { by, origin });
    return startSession(tx, person.adminId, { ...origin, providerId });
  });
}

function requirePasswordAllowed({ isProviderRequired }: SignInCandidate): void {
  if (isProviderRequired) throw passwordNotAllowed();
}

/** A password change ends all sessions, so none may start with the old password after it. */
async function requireUnchanged(
  tx: Db,
  { email, passwordHash }: Pick<SignInCandidate, "email" | "passwordHash">,
): Promise<void> {
  const [now] = await tx
    .select({ passwordHash: people.passwordHash })
    .from(people)
    .where(eq(people.email, email))
    .for("no key update");
  if (now?.passwordHash === passwordHash) return;
  throw new Refusal("wrong_credentials", "Your password has just been changed. Sign in again");
}

/**
 * Completes a sign-in with a second factor. Wrong ones count toward the sign-in limits, and five end the
 * attempt.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `wrong_credentials`; `not_signed_in` if the step expired; `rate_limit_exceeded`
 */
export async function completeSecondStep(
  db: Db,
  { token, proof, origin }: { token: string; proof: Proof; origin: SignInOrigin },
): Promise<string> {
  const { clientAddress } = origin;
  const { email, providerId } = await verifyFactorStep(db, {
    of: "person",
    token,
    proof,
    clientAddress,
    onWrong: (account) => auditFailedSignIn(db, account, { by: proofKind(proof), clientAddress }),
  });
  // Read before the step ends, so that `completeSignIn` notices a password change after it.
  const person = await findPerson(db, email, { providerId });
  // Of two concurrent correct codes, one signs in.
  if (!(await endStep(db, token, "second_factor")) || !person) throw stepExpired();
  const by = `${providerId ? "identity provider" : "password"} and ${proofKind(proof)}`;
  return completeSignIn(db, person, { by, origin, withSecondFactor: true, providerId });
}

const USED = { kind: "passkey_sign_in", minutes: PASSKEY_MINUTES } as const;

/**
 * Starts a sign-in with only a passkey. Anyone can call this, so nothing is stored: the token carries the
 * sealed challenge.
 */
export async function startPasskeySignIn(
  db: Db,
): Promise<{ token: string; options: PublicKeyCredentialRequestOptionsJSON }> {
  const options = await createPasskeyRequest(db, null);
  const until = Date.now() + PASSKEY_MINUTES * 60_000;
  return {
    token: seal("passkey_challenge", JSON.stringify({ challenge: options.challenge, until })),
    options,
  };
}

/**
 * Signs in the owner of a passkey. It counts as both factors, because the authenticator verified the user.
 *
 * @returns the Set-Cookie value of the new session
 * @throws Refusal `wrong_credentials` for an unknown passkey, or an owner who can't open any company
 */
export async function finishPasskeySignIn(
  db: Db,
  {
    token,
    response,
    origin,
  }: { token: string; response: AuthenticationResponseJSON; origin: SignInOrigin },
): Promise<string> {
  const challenge = readChallenge(token);
  const email =
    challenge &&
    (await verifyPasskey(db, { response, challenge }, { of: "person", mustVerify: true }));
  const person = email ? await findPerson(db, email) : null;
  if (!challenge || !person || !(await markUsed(db, challenge, USED)))
    throw new Refusal("wrong_credentials", "This passkey was not accepted");
  return completeSignIn(db, person, { by: "passkey", origin, withSecondFactor: true });
}

/** The challenge in a token; null if the token is invalid or expired. */
function readChallenge(token: string): string | null {
  try {
    const { challenge, until } = JSON.parse(unseal("passkey_challenge", token)) as {
      challenge: string;
      until: number;
    };
    return until > Date.now() ? challenge : null;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/**
 * Completes a sign-in at the company's identity provider. The session opens only that company. Admins with a second factor
 * are asked for it, unless the provider counts as one.
 *
 * @throws Refusal `not_signed_in` if the attempt has expired or was used; `not_allowed` if the provider rejects it, or the
 *   account doesn't belong to an admin
 */
export async function finishProviderSignIn(
  db: Db,
  { token, answer, origin }: { token: string; answer: ProviderAnswer; origin: SignInOrigin },
): Promise<SignInResult> {
  const by = "identity provider";
  const { provider, identity, succeed } = await finishProviderAttempt(db, "console", {
    token,
    answer,
  }).catch((error: unknown) => {
    count("posthouse_sign_ins_total", { service: "console", result: "failed" });
    throw error;
  });
  const email = await db.transaction((tx) => identifyAdmin(tx, provider, identity));
  await succeed();
  const { id: providerId } = provider;
  const person = await findPerson(db, email, { providerId });
  if (!person) throw noAccessRefusal(email);
  const step = provider.isSecondFactor
    ? null
    : await startFactorStep(db, personAccount(email), { providerId });
  if (step) return { kind: "second_factor", ...step };
  return {
    kind: "signed_in",
    cookie: await completeSignIn(db, person, { by, origin, providerId }),
  };
}

function identifyAdmin(
  tx: Db,
  { id: providerId, companyId }: IdentityProvider,
  identity: Identity,
): Promise<string> {
  const { subject } = identity;
  return identifyAccount(identity, {
    async findLinked() {
      const linked = await findLinked(tx, providerId, subject);
      if (linked?.disabledAt) throw noAccessRefusal(linked.email);
      return linked?.email ?? null;
    },
    async link(email) {
      const [admin] = await tx
        .select({ id: admins.id })
        .from(admins)
        .where(
          and(eq(admins.companyId, companyId), eq(admins.email, email), isNull(admins.disabledAt)),
        );
      if (!admin) throw noAccessRefusal(email);
      const added = await tx
        .insert(adminIdentities)
        .values({ providerId, subject, adminId: admin.id })
        .onConflictDoNothing()
        .returning({ adminId: adminIdentities.adminId });
      if (added.length === 0) return false;
      const actor = { kind: "admin", adminId: admin.id, email } as const;
      const ctx = createContext(tx, companyId, actor);
      await recordAudit(ctx, "single_sign_on.linked", { email, subject });
      return true;
    },
    howToUnlink: "Ask an owner to unlink it under Settings, Access",
  });
}

async function findLinked(tx: Db, providerId: string, subject: string) {
  const [linked] = await tx
    .select({ email: admins.email, disabledAt: admins.disabledAt })
    .from(adminIdentities)
    .innerJoin(admins, eq(admins.id, adminIdentities.adminId))
    .where(and(eq(adminIdentities.providerId, providerId), eq(adminIdentities.subject, subject)));
  return linked;
}

const noAccessRefusal = (email: string) =>
  new Refusal(
    "not_allowed",
    `${email} has no access to this company. Ask an owner to invite you, or to turn on your access`,
  );

const logger = createLogger("web");

/** Audits a started session in the company that was opened. */
function auditSessionStart(
  db: Db,
  { email, adminId, companyId }: Omit<SignInCandidate, "passwordHash">,
  { by, origin }: { by: string; origin: SessionOrigin },
): Promise<void> {
  const actor = { kind: "admin", adminId, email } as const;
  const ctx = createContext(db, companyId, actor);
  return recordAudit(ctx, "session.started", { by, client_address: origin.clientAddress ?? null });
}

/** At most one entry per person and company in this time, so that a guesser can't flood the audit log. */
const QUIET_MINUTES = 15;

/**
 * Audits a failed sign-in in each of the person's companies. Doesn't block the response, whose timing would
 * reveal that the address exists.
 */
function auditFailedSignIn(
  db: Db,
  email: string,
  { by, clientAddress }: { by: string; clientAddress: string },
): void {
  write(db, email, { email, by, client_address: clientAddress }).catch((err: unknown) =>
    logger.error({ err }, "failed to audit a rejected sign-in"),
  );
}

async function write(db: Db, email: string, details: Record<string, unknown>): Promise<void> {
  const companies = await db.execute<{ companyId: string }>(sql`
    select a.company_id as "companyId" from admins a
    where a.email = ${email} and not exists (
      select from audit_entries e
      where e.company_id = a.company_id
        and e.created_at > clock_timestamp() - make_interval(mins => ${QUIET_MINUTES})
        and e.action = 'sign_in.refused' and e.details ->> 'email' = ${email})`);
  for (const { companyId } of companies) {
    const actor = { kind: "system", task: "sign_in" } as const;
    await recordAudit(createContext(db, companyId, actor), "sign_in.refused", details);
  }
}

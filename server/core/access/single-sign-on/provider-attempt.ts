import type { IdentityProvider } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { markUsed } from "#server/core/access/sign-in/steps.ts";
import {
  countProviderStart,
  forgetAttempt,
  normalizeAccount,
} from "#server/core/access/sign-in/throttle.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal, SealError, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { connectProvider, explainProviderError, isGoogle } from "./internal/connect-provider.ts";
import { type Identity, readClaims } from "./internal/read-claims.ts";
import {
  findProviderToStart,
  listOwnedDomains,
  type SignInArea,
  type SignInStart,
} from "./providers.ts";

const logger = createLogger("web");

/** Signing in at the provider may include setting up a second factor there. */
export const ATTEMPT_MINUTES = 20;

const USED = { kind: "provider_sign_in", minutes: ATTEMPT_MINUTES } as const;

/** By how much the provider's clock may be behind ours. */
const CLOCK_TOLERANCE_S = 60;

type ProviderAttempt = {
  providerId: string;
  /**
   * These three tie the provider's response to this browser (RFC 6749, 10.12; OpenID Connect Core 3.1.2.1; RFC 7636). The
   * state begins with the area, so that one redirect URL serves both.
   */
  state: string;
  nonce: string;
  verifier: string;
  /** ID of the counted start, which no longer counts once it succeeds. */
  counted: string;
  /** ID of the session whose user verifies their identity again; absent for a sign-in. */
  confirmedSession?: string;
  until: number;
};

type FinishedAttempt = {
  provider: IdentityProvider;
  identity: Identity;
  confirmedSession: string | null;
  succeed: () => Promise<void>;
};

/** What the provider appended to the redirect URL. */
export type ProviderAnswer = { code: string; state: string; iss?: string | undefined };

/** Where the provider redirects to; next.config.js redirects sign-ins to `/account` from there. */
export const redirectUrl = () => `${config().baseUrl}/console/sign-in/provider`;

/** The company's sign-in link, which works without an address. */
export const signInLink = (area: SignInArea, { id }: Pick<IdentityProvider, "id">) =>
  `${config().baseUrl}/${area}/sign-in/provider?provider=${id}`;

const NOT_SET_UP =
  "Single sign-on isn't set up for this address. Sign in with your password, or use your company's sign-in link";

const OLD_LINK =
  "This sign-in link no longer works. Ask an owner for the current one, or go back to sign-in";

/**
 * Starts a sign-in at the company's identity provider. Starts are limited until they succeed.
 *
 * @param confirmedSession asks users to authenticate even if they are signed in there, to verify the identity behind this
 *   session
 * @returns the URL to open, and the token that `finishProviderAttempt` needs, with the sealed state
 * @throws Refusal `not_found` without a provider, `not_allowed` if the provider can't be reached, `rate_limit_exceeded`
 */
export async function startProviderAttempt(
  db: Db,
  area: SignInArea,
  {
    start,
    clientAddress,
    confirmedSession,
  }: { start: SignInStart; clientAddress: string; confirmedSession?: string },
): Promise<{ token: string; url: string }> {
  const named = "email" in start ? { email: normalizeAccount(start.email) } : start;
  const provider = await findProviderToStart(db, named, area);
  const counted = await countProviderStart(db, {
    providerId: provider?.id ?? null,
    clientAddress,
  });
  if (!provider) throw new Refusal("not_found", "email" in named ? NOT_SET_UP : OLD_LINK);
  const { openid, configuration } = await connect(provider);
  const [state, nonce] = [`${area}.${openid.randomState()}`, openid.randomNonce()];
  const verifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUrl(),
    scope: "openid email profile",
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    response_mode: "query",
    ...("email" in named && { login_hint: named.email }),
    ...(confirmedSession !== undefined && freshSignIn(provider)),
  });
  const until = Date.now() + ATTEMPT_MINUTES * 60_000;
  const attempt: ProviderAttempt = {
    providerId: provider.id,
    state,
    nonce,
    verifier,
    counted: String(counted),
    until,
    ...(confirmedSession !== undefined && { confirmedSession }),
  };
  return { token: seal("sign_in_attempt", JSON.stringify(attempt)), url: url.href };
}

/** Google rejects `prompt=login`, and sends `auth_time` only if `claims` names it. */
const freshSignIn = ({ issuer }: Pick<IdentityProvider, "issuer">) => ({
  max_age: "0",
  claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }),
  ...(!isGoogle(issuer) && { prompt: "login" }),
});

/**
 * Verifies the provider's response to an attempt, which can be used once.
 *
 * @throws Refusal `not_signed_in` if the attempt has expired, was used, or belongs to another browser or area; `not_allowed`
 *   if the provider rejects it, the account isn't the company's, or the user didn't authenticate again for `confirmedSession`
 */
export async function finishProviderAttempt(
  db: Db,
  area: SignInArea,
  { token, answer }: { token: string; answer: ProviderAnswer },
): Promise<FinishedAttempt> {
  const attempt = readAttempt(token);
  if (attempt?.state !== answer.state || !attempt.state.startsWith(`${area}.`))
    throw attemptExpired();
  if (!(await markUsed(db, attempt.state, USED))) throw attemptExpired();
  const provider = await findProviderToStart(db, attempt, area);
  if (!provider) throw attemptExpired();
  const { openid, configuration } = await connect(provider);
  const url = new URL(redirectUrl());
  for (const [name, value] of Object.entries(answer)) if (value) url.searchParams.set(name, value);
  const tokens = await openid
    .authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    })
    .catch((error: unknown) => {
      throw toRefusal(error, provider);
    });
  const claims = tokens.claims()!;
  const { confirmedSession = null } = attempt;
  if (confirmedSession !== null) requireAuthenticatedSince(attempt, claims.auth_time);
  const owned = await listOwnedDomains({ db, companyId: provider.companyId });
  const identity = readClaims(provider.issuer, claims, owned);
  const succeed = () => forgetAttempt(db, BigInt(attempt.counted));
  return { provider, identity, confirmedSession, succeed };
}

/** Browsers can drop parameters from the request, and providers can ignore them, so only `auth_time` shows it. */
function requireAuthenticatedSince({ until }: ProviderAttempt, authTime: unknown): void {
  if (typeof authTime !== "number")
    throw new Refusal(
      "not_allowed",
      "Your identity provider didn't say when you signed in. Ask its admin to add the claim auth_time to the ID token, or use your password instead",
    );
  const startedAt = until / 1000 - ATTEMPT_MINUTES * 60;
  if (authTime < startedAt - CLOCK_TOLERANCE_S)
    throw new Refusal(
      "not_allowed",
      "Your identity provider didn't ask you to sign in again. Sign out there and try again, or use your password instead",
    );
}

const attemptExpired = () =>
  new Refusal("not_signed_in", "This sign-in has expired or was already used. Sign in again");

/** Null if the token is invalid or expired. */
function readAttempt(token: string): ProviderAttempt | null {
  try {
    const attempt = JSON.parse(unseal("sign_in_attempt", token)) as ProviderAttempt;
    return attempt.until > Date.now() ? attempt : null;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

function connect({ issuer, clientId, sealedClientSecret, companyId }: IdentityProvider) {
  const client = {
    issuer,
    clientId,
    clientSecret: unseal("identity_provider_secret", sealedClientSecret),
  };
  return connectProvider(client).catch((error: unknown) => {
    throw toRefusal(error, { issuer, companyId });
  });
}

function toRefusal(
  error: unknown,
  { issuer, companyId }: Pick<IdentityProvider, "issuer" | "companyId">,
) {
  logger.warn({ err: error, issuer, companyId }, "identity provider failed");
  const { host } = new URL(issuer);
  return new Refusal(
    "not_allowed",
    `Couldn't sign in with your identity provider (${host}): ${explainProviderError(error)}`,
  );
}

export type { Identity };

/** The accounts that a provider can sign in, such as the admins of its company. */
type LinkableAccounts = {
  /**
   * The address of the account that is linked to the identity's subject.
   *
   * @throws Refusal `not_allowed` if it can't sign in
   */
  findLinked: () => Promise<string | null>;
  /**
   * Links the account with this address; false if it or the subject is linked already.
   *
   * @throws Refusal `not_allowed` if there is no such account, or it can't sign in
   */
  link: (email: string) => Promise<boolean>;
  /** Who can unlink an account, for the error message. */
  howToUnlink: string;
};

/**
 * Finds an account by the provider's permanent identifier, or at the first sign-in by address, and links it. Later, other
 * accounts with the address are rejected.
 *
 * @returns the account's address
 * @throws Refusal `not_allowed`
 */
export async function identifyAccount(
  { email }: Identity,
  { findLinked, link, howToUnlink }: LinkableAccounts,
): Promise<string> {
  const linked = await findLinked();
  if (linked !== null) return linked;
  if (email === null)
    throw new Refusal(
      "not_allowed",
      "Your identity provider hasn't verified your email address. Ask its admin to set the claims email and email_verified",
    );
  if (await link(email)) return email;
  // The same account may have signed in twice at the same time.
  const meanwhile = await findLinked();
  if (meanwhile !== null) return meanwhile;
  throw new Refusal(
    "not_allowed",
    `Another account at your identity provider is linked to ${email}. ${howToUnlink}`,
  );
}

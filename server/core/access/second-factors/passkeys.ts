import { createHash } from "node:crypto";
import { isIP } from "node:net";

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { and, asc, eq, sql } from "drizzle-orm";

import { config } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { type FactorAccount, factorTables } from "./factors.ts";

export type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
};

/** How long the browser waits for the person, and the server for the browser. */
export const PASSKEY_MINUTES = 5;

const TIMEOUT_MS = PASSKEY_MINUTES * 60_000;

const logger = createLogger("web");

const loadWebAuthn = () => import("@simplewebauthn/server");

/** The library throws on any invalid passkey, with the reason. */
function logRejection(err: unknown): null {
  logger.info({ err }, "passkey rejected");
  return null;
}

/** @throws Refusal `not_allowed` if this host can't use passkeys */
function requireRelyingParty(): RelyingParty {
  const party = relyingParty();
  if (party) return party;
  throw new Refusal(
    "not_allowed",
    "Passkeys require a console URL with https and a hostname, not an IP address",
  );
}

function listPasskeys(db: Db, account: FactorAccount) {
  const { passkeys } = factorTables(account);
  return db
    .select()
    .from(passkeys)
    .where(eq(passkeys.email, account.email))
    .orderBy(asc(passkeys.createdAt));
}

/**
 * Creates a WebAuthn request to sign with a passkey.
 *
 * @param account whose passkeys are accepted; null for any admin's, which also serves as the password: the
 *   authenticator must then verify the user by PIN or biometrics
 */
export async function createPasskeyRequest(
  db: Db,
  account: FactorAccount | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { id: rpID } = requireRelyingParty();
  const keys = account === null ? [] : await listPasskeys(db, account);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID,
    timeout: TIMEOUT_MS,
    userVerification: account === null ? "required" : "preferred",
    ...(account !== null && {
      allowCredentials: keys.map(({ id, transports }) => ({ id, transports })),
    }),
  });
}

/** Creates a WebAuthn request to create a passkey. */
export async function createPasskeyRegistration(
  db: Db,
  { name, ...account }: FactorAccount & { name: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { id: rpID } = requireRelyingParty();
  const { kind, email } = account;
  const keys = await listPasskeys(db, account);
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: "Posthouse",
    rpID,
    userName: email,
    userDisplayName: name || email,
    userID: new Uint8Array(createHash("sha256").update(`${kind} ${email}`).digest()),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    excludeCredentials: keys.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
}

/**
 * Verifies and stores a new passkey.
 *
 * @throws Refusal `invalid` if it doesn't answer the challenge or is already registered
 */
export async function storePasskey(
  db: Db,
  account: FactorAccount,
  made: { name: string; response: RegistrationResponseJSON; challenge: string },
): Promise<void> {
  const { id: expectedRPID, origin: expectedOrigin } = requireRelyingParty();
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await verifyRegistrationResponse({
    response: made.response,
    expectedChallenge: made.challenge,
    expectedOrigin,
    expectedRPID,
    requireUserVerification: false,
  }).catch(logRejection);
  if (!verified?.verified) throw new Refusal("invalid", "The passkey could not be read. Try again");
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  const { passkeys } = factorTables(account);
  const passkey = { id, email: account.email, name: made.name, counter, transports };
  const kept = await db
    .insert(passkeys)
    .values({ ...passkey, publicKey: Buffer.from(publicKey) })
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  if (kept.length === 0) throw new Refusal("invalid", "This passkey is already in use");
}

/**
 * Returns the address of the account whose passkey signed the challenge, or null. A counter that doesn't
 * increase indicates a cloned authenticator and is rejected.
 *
 * @param mustVerify require that the authenticator verified the user, not just their presence
 */
export async function verifyPasskey(
  db: Db,
  signed: { response: AuthenticationResponseJSON; challenge: string },
  { of, mustVerify }: { of: FactorAccount["kind"]; mustVerify: boolean },
): Promise<string | null> {
  const party = requireRelyingParty();
  const { passkeys } = factorTables({ kind: of });
  const [key] = await db.select().from(passkeys).where(eq(passkeys.id, signed.response.id));
  if (!key) return null;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verified = await verifyAuthenticationResponse({
    response: signed.response,
    expectedChallenge: signed.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: mustVerify,
    credential: {
      id: key.id,
      publicKey: new Uint8Array(key.publicKey),
      counter: key.counter,
      transports: key.transports,
    },
  }).catch(logRejection);
  if (!verified?.verified) return null;
  const taken = await db
    .update(passkeys)
    .set({ counter: verified.authenticationInfo.newCounter, lastUsedAt: sql`clock_timestamp()` })
    .where(and(eq(passkeys.id, key.id), eq(passkeys.counter, key.counter)))
    .returning({ email: passkeys.email });
  return taken[0]?.email ?? null;
}

/** The host that passkeys are bound to (WebAuthn Level 3, 4). */
export type RelyingParty = {
  id: string;
  origin: string;
};

/**
 * The console as a relying party; null if browsers don't support passkeys here: without https (except
 * localhost), or at an IP address.
 */
export function relyingParty(): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(config().baseUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  return (protocol === "https:" || isLocal) && isName ? { id: hostname, origin } : null;
}

import { createHash } from "node:crypto";

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { and, asc, eq, sql } from "drizzle-orm";

import { passkeys } from "#drizzle/schema/index.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { type RelyingParty, relyingParty } from "./relying-party.ts";

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

const listPasskeys = (db: Db, email: string) =>
  db.select().from(passkeys).where(eq(passkeys.email, email)).orderBy(asc(passkeys.createdAt));

/**
 * Creates a WebAuthn request to sign with a passkey.
 *
 * @param email whose passkeys are accepted; null for anyone's, which also serves as the password: the
 *   authenticator must then verify the user by PIN or biometrics
 */
export async function createPasskeyRequest(
  db: Db,
  email: string | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { id: rpID } = requireRelyingParty();
  const keys = email === null ? [] : await listPasskeys(db, email);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID,
    timeout: TIMEOUT_MS,
    userVerification: email === null ? "required" : "preferred",
    ...(email !== null && {
      allowCredentials: keys.map(({ id, transports }) => ({ id, transports })),
    }),
  });
}

/** Creates a WebAuthn request to create a passkey. */
export async function createPasskeyRegistration(
  db: Db,
  { email, name }: { email: string; name: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { id: rpID } = requireRelyingParty();
  const keys = await listPasskeys(db, email);
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: "Posthouse",
    rpID,
    userName: email,
    userDisplayName: name || email,
    userID: new Uint8Array(createHash("sha256").update(`person ${email}`).digest()),
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
  email: string,
  made: { name: string; response: RegistrationResponseJSON; challenge: string },
): Promise<void> {
  const { id: expectedRPID, origin: expectedOrigin } = requireRelyingParty();
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await verifyRegistrationResponse({
    response: made.response,
    expectedChallenge: made.challenge,
    ...{ expectedOrigin, expectedRPID, requireUserVerification: false },
  }).catch(logRejection);
  if (!verified?.verified) throw new Refusal("invalid", "The passkey could not be read. Try again");
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  const kept = await db
    .insert(passkeys)
    .values({ id, email, name: made.name, publicKey: Buffer.from(publicKey), counter, transports })
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  if (kept.length === 0) throw new Refusal("invalid", "This passkey is already in use");
}

/**
 * Returns the address of the person whose passkey signed the challenge, or null. A counter that doesn't
 * increase indicates a cloned authenticator and is rejected.
 *
 * @param mustVerify require that the authenticator verified the user, not just their presence
 */
export async function verifyPasskey(
  db: Db,
  signed: { response: AuthenticationResponseJSON; challenge: string },
  { mustVerify }: { mustVerify: boolean },
): Promise<string | null> {
  const party = requireRelyingParty();
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

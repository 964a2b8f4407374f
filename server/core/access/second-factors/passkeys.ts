import { createHash } from "node:crypto";

import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
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

/** How long a browser waits for the person, and we for the browser. */
export const PASSKEY_MINUTES = 5;
const TIMEOUT_MS = PASSKEY_MINUTES * 60_000;

const logger = createLogger("web");

/** The library throws for whatever is wrong with a passkey, and says what. */
function refused(err: unknown): null {
  logger.info({ err }, "a passkey was refused");
  return null;
}

/** @throws Refusal `not_allowed` where browsers have no passkeys */
function requireRelyingParty(): RelyingParty {
  const party = relyingParty();
  if (party) return party;
  throw new Refusal("not_allowed", "Passkeys need the console to have a name and https");
}

const keysOf = (db: Db, email: string) =>
  db.select().from(passkeys).where(eq(passkeys.email, email)).orderBy(asc(passkeys.createdAt));

/**
 * What a browser is asked to have signed.
 *
 * @param email whose passkeys will do; null for whoever has one, who then needs no password: the
 *   authenticator has to be told that it is them, by a PIN or a finger
 */
export async function askForPasskey(
  db: Db,
  email: string | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { id: rpID } = requireRelyingParty();
  const keys = email === null ? [] : await keysOf(db, email);
  return generateAuthenticationOptions({
    rpID,
    timeout: TIMEOUT_MS,
    userVerification: email === null ? "required" : "preferred",
    ...(email !== null && {
      allowCredentials: keys.map(({ id, transports }) => ({ id, transports })),
    }),
  });
}

/** What a browser is asked to make. */
export async function askForNewPasskey(
  db: Db,
  { email, name }: { email: string; name: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { id: rpID } = requireRelyingParty();
  const keys = await keysOf(db, email);
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
 * Keeps a passkey that the browser made.
 *
 * @throws Refusal `invalid` for one that does not answer the challenge, or that somebody has already
 */
export async function keepPasskey(
  db: Db,
  email: string,
  made: { name: string; response: RegistrationResponseJSON; challenge: string },
): Promise<void> {
  const { id: expectedRPID, origin: expectedOrigin } = requireRelyingParty();
  const verified = await verifyRegistrationResponse({
    response: made.response,
    expectedChallenge: made.challenge,
    ...{ expectedOrigin, expectedRPID, requireUserVerification: false },
  }).catch(refused);
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
 * The person whose passkey has signed the challenge; null when none has. A counter that goes back tells
 * of a copied authenticator, and is refused as well.
 *
 * @param mustVerify the authenticator has to have made sure of the person, not just of a touch
 */
export async function takePasskey(
  db: Db,
  signed: { response: AuthenticationResponseJSON; challenge: string },
  { mustVerify }: { mustVerify: boolean },
): Promise<string | null> {
  const party = requireRelyingParty();
  const [key] = await db.select().from(passkeys).where(eq(passkeys.id, signed.response.id));
  if (!key) return null;
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
  }).catch(refused);
  if (!verified?.verified) return null;
  const taken = await db
    .update(passkeys)
    .set({ counter: verified.authenticationInfo.newCounter, lastUsedAt: sql`clock_timestamp()` })
    .where(and(eq(passkeys.id, key.id), eq(passkeys.counter, key.counter)))
    .returning({ email: passkeys.email });
  return taken[0]?.email ?? null;
}

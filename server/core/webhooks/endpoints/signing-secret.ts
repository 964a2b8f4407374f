import { createSecretKey, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** Standard Webhooks requires 24 to 64. */
const BYTES = 32;

/** A new signing secret in the form receivers store: `whsec_` and base64. */
export const newSigningSecret = () => PREFIX + randomBytes(BYTES).toString("base64");

/** A key object: with a Buffer, the HMAC takes three times as long. */
export const signingKey = (secret: string) =>
  createSecretKey(secret.slice(PREFIX.length), "base64");

import { randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** Standard Webhooks asks for 24 to 64. */
const BYTES = 32;

/** A new signing secret, as receivers keep it: `whsec_` and base64. */
export const newSigningSecret = () => PREFIX + randomBytes(BYTES).toString("base64");

/** The key of the HMAC. */
export const signingKey = (secret: string) => Buffer.from(secret.slice(PREFIX.length), "base64");

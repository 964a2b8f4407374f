import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

import { instanceKey } from "./instance-key.ts";

const VERSION = "v2";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What a secret is for. One that was sealed for one purpose can't be opened for another. */
export type SealPurpose =
  | "acme_account_key"
  | "certificate_key"
  | "dkim_key"
  | "identity_provider_secret"
  | "import_secret"
  | "invitation"
  | "notification_url"
  | "passkey_challenge"
  | "password_link"
  | "removed_suppressions"
  | "sign_in_attempt"
  | "temporary_password"
  | "totp_secret"
  | "webhook_secret";

/** A sealed secret that this instance can't open. */
export class SealError extends Error {
  override name = "SealError";
}

/**
 * Encrypts a secret for the database (AES-256-GCM with the instance key, and the purpose as additional data): `v2.` and
 * base64url.
 */
export function seal(purpose: SealPurpose, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", instanceKey(), iv).setAAD(Buffer.from(purpose));
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
  return `${VERSION}.${sealed.toString("base64url")}`;
}

/**
 * Decrypts a sealed secret.
 *
 * @throws SealError if it was sealed with another key or for another purpose, was modified, or has an unknown version
 */
export function unseal(purpose: SealPurpose, sealed: string): string {
  const [version, content = ""] = sealed.split(".", 2);
  if (version !== VERSION) throw new SealError("A sealed secret has an unknown format");
  const bytes = Buffer.from(content, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new SealError("A sealed secret is truncated");
  const decipher = createDecipheriv("aes-256-gcm", instanceKey(), bytes.subarray(0, IV_BYTES));
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new SealError(
      "A sealed secret can't be opened: keys/instance.key in the data folder is not the key it was sealed with",
      { cause },
    );
  }
}

/** Whether a sealed secret can be opened here. */
export function isOpenable(purpose: SealPurpose, sealed: string): boolean {
  try {
    unseal(purpose, sealed);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

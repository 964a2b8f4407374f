import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

import { instanceKey } from "./instance-key.ts";

const VERSION = "v1";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed secret that this instance can't open. */
export class SealError extends Error {
  override name = "SealError";
}

/** Encrypts a secret for the database (AES-256-GCM with the instance key): `v1.` and base64url. */
export function seal(text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", instanceKey(), iv);
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
  return `${VERSION}.${sealed.toString("base64url")}`;
}

/**
 * Decrypts a sealed secret.
 *
 * @throws SealError if it was sealed with another key, was modified, or has an unknown version
 */
export function unseal(sealed: string): string {
  const [version, content = ""] = sealed.split(".", 2);
  if (version !== VERSION) throw new SealError("A sealed secret has an unknown format");
  const bytes = Buffer.from(content, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new SealError("A sealed secret is truncated");
  const decipher = createDecipheriv("aes-256-gcm", instanceKey(), bytes.subarray(0, IV_BYTES));
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
export function isOpenable(sealed: string): boolean {
  try {
    unseal(sealed);
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

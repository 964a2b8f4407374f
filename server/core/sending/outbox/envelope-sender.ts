import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

const ENVELOPE_SENDER =
  /^bounce\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-9a-f]{16})@[^@]+$/i;

const MAC_BYTES = 8;

/**
 * The envelope sender of an email (VERP): a bounce to this address identifies the email. Since others may
 * know the email's id, a MAC follows it: only servers that received or relayed the email can report on it.
 * Uses 55 of the 64 octets of a local part (RFC 5321, 4.5.3.1.1).
 */
export const envelopeSender = (emailId: string, host: string): string =>
  `bounce+${emailId.replaceAll("-", "")}${mac(emailId).toString("hex")}@${host}`;

/** Returns the email's id for an envelope sender of this instance; null for other and forged addresses. */
export function parseEnvelopeSender(address: string): string | null {
  const groups = ENVELOPE_SENDER.exec(address)?.slice(1);
  if (!groups) return null;
  const emailId = groups.slice(0, 5).join("-").toLowerCase();
  return timingSafeEqual(Buffer.from(groups[5]!, "hex"), mac(emailId)) ? emailId : null;
}

/** 64 bits: each guess costs an SMTP session and gains one bounce at most. */
function mac(emailId: string): Buffer {
  return createHmac("sha256", envelopeKey())
    .update(emailId.toLowerCase())
    .digest()
    .subarray(0, MAC_BYTES);
}

const keys = new WeakMap<KeyObject, KeyObject>();

/** A separate key (RFC 5869), so that these MACs are useless elsewhere. */
function envelopeKey(): KeyObject {
  const secret = instanceKey();
  let derived = keys.get(secret);
  if (!derived) {
    derived = createSecretKey(
      Buffer.from(hkdfSync("sha256", secret, "", "posthouse envelope sender", 32)),
    );
    keys.set(secret, derived);
  }
  return derived;
}

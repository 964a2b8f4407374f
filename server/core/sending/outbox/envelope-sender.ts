import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

import { instanceKey } from "#server/core/shared/secrets/instance-key.ts";

const ENVELOPE_SENDER =
  /^bounce\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-9a-f]{16})@[^@]+$/i;

const MAC_BYTES = 8;

/**
 * The envelope sender of an email (VERP): a bounce that comes back to it says by its address which
 * email bounced. A MAC stands behind the email's id, which others may know: only who was sent the
 * email, or carried it, can report about it. 55 of the 64 octets that RFC 5321, 4.5.3.1.1 allows a
 * local part.
 */
export function envelopeSender(emailId: string, host: string): string {
  return `bounce+${emailId.replaceAll("-", "")}${mac(emailId).toString("hex")}@${host}`;
}

/** The email that an envelope sender of ours belongs to, or null for any other address and for forged ones. */
export function parseEnvelopeSender(address: string): string | null {
  const groups = ENVELOPE_SENDER.exec(address)?.slice(1);
  if (!groups) return null;
  const emailId = groups.slice(0, 5).join("-").toLowerCase();
  return timingSafeEqual(Buffer.from(groups[5]!, "hex"), mac(emailId)) ? emailId : null;
}

/** 64 bits: a guess costs an SMTP dialog, and gains one bounce. */
function mac(emailId: string): Buffer {
  return createHmac("sha256", key()).update(emailId.toLowerCase()).digest().subarray(0, MAC_BYTES);
}

const keys = new WeakMap<Buffer, Buffer>();

/** A key of its own (RFC 5869): what is signed here is worth nothing elsewhere. */
function key(): Buffer {
  const secret = instanceKey();
  let derived = keys.get(secret);
  if (!derived) {
    derived = Buffer.from(hkdfSync("sha256", secret, "", "posthouse envelope sender", 32));
    keys.set(secret, derived);
  }
  return derived;
}

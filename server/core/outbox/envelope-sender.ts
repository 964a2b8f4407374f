const HEX_UUID = /^bounce\+([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})@/i;

/**
 * The envelope sender of an email (VERP): a bounce that comes back to it says by its address which
 * email bounced. The local part has 39 of the 64 octets that RFC 5321, 4.5.3.1.1 allows.
 */
export function envelopeSender(emailId: string, host: string): string {
  return `bounce+${emailId.replaceAll("-", "")}@${host}`;
}

/** The email that an envelope sender of ours belongs to, or null for any other address. */
export function parseEnvelopeSender(address: string): string | null {
  const groups = HEX_UUID.exec(address)?.slice(1);
  return groups ? groups.join("-").toLowerCase() : null;
}

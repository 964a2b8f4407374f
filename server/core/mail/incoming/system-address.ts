import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";

/** An address that the appliance itself receives mail at: for DMARC and TLS reports, or for an email's bounces. */
export type SystemAddress = { kind: "reports" } | { kind: "email"; emailId: string };

const reportsAddress = (hostname: string): string => `reports@${hostname}`;

/** Parses an address of the appliance itself; null for any other address and for forged envelope senders. */
export function parseSystemAddress(text: string, hostname: string): SystemAddress | null {
  const address = parseAddress(text)?.address;
  if (!address) return null;
  if (address === reportsAddress(hostname)) return { kind: "reports" };
  const emailId = parseEnvelopeSender(address);
  return emailId === null ? null : { kind: "email", emailId };
}

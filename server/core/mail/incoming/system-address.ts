import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";

/** An address at which the appliance itself takes mail: reports about domains, or what comes back of one email. */
export type SystemAddress = { kind: "reports" } | { kind: "email"; emailId: string };

/** Where providers send their reports about our domains and our mail. */
const reportsAddress = (hostname: string): string => `reports@${hostname}`;

/** The appliance's own address that a text is; null for any other, and for envelope senders that somebody made up. */
export function parseSystemAddress(text: string, hostname: string): SystemAddress | null {
  const address = parseAddress(text)?.address;
  if (!address) return null;
  if (address === reportsAddress(hostname)) return { kind: "reports" };
  const emailId = parseEnvelopeSender(address);
  return emailId === null ? null : { kind: "email", emailId };
}

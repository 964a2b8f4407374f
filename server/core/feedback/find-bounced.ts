import { domainOf, parseAddress } from "#server/core/addresses/parse-address.ts";

import type { Failure } from "./reading/read-bounce.ts";

/**
 * Which recipient of a message a failure is about. A recipient may forward in turn, so the failure can
 * name an address that we never sent to: then it's the only recipient, the one that the returned header
 * passed through, or the only one at the domain that is named.
 *
 * @param recipients of the message, each once
 * @param trace addresses that the returned header says the message was delivered to
 * @returns null when it could be several, or none
 */
export function findBounced(
  recipients: string[],
  failure: Failure,
  trace: string[],
): string | null {
  const named = failure.addresses.flatMap(readName);
  const exact = recipients.find((recipient) => named.includes(recipient.toLowerCase()));
  if (exact !== undefined) return exact;
  if (named.length === 0) return null;
  if (recipients.length === 1) return recipients[0]!;
  const passed = trace.flatMap(readName);
  const domains = named.map(domainOf);
  return (
    onlyOne(recipients.filter((recipient) => passed.includes(recipient.toLowerCase()))) ??
    onlyOne(recipients.filter((recipient) => domains.includes(domainOf(recipient))))
  );
}

const readName = (text: string) => parseAddress(text)?.address ?? [];

const onlyOne = (found: string[]): string | null => (found.length === 1 ? found[0]! : null);

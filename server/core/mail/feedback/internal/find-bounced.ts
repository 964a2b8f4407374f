import { addressDomain, parseRecipient } from "#server/core/shared/addresses/parse-address.ts";

import type { Failure } from "#server/core/mail/report-parsing/read-bounce.ts";

/**
 * Finds the recipient of a message that a bounce is about. A recipient may forward its mail, so the bounce
 * can name an address we never sent to. Then it is the only recipient, the one in the returned header's
 * trace, or the only one at the bounce's domain.
 *
 * @param recipients distinct recipients of the message
 * @param trace addresses that the message reached, according to the returned header
 * @returns null if no recipient or several match; `isNamed` if the bounce names the recipient itself
 */
export function findBounced(
  recipients: string[],
  failure: Failure,
  trace: string[],
): { recipient: string; isNamed: boolean } | null {
  const named = failure.addresses.flatMap(readName);
  const exact = recipients.find((recipient) => named.includes(recipient.toLowerCase()));
  if (exact !== undefined) return { recipient: exact, isNamed: true };
  const recipient = named.length === 0 ? null : guess(recipients, { named, trace });
  return recipient === null ? null : { recipient, isNamed: false };
}

function guess(
  recipients: string[],
  { named, trace }: { named: string[]; trace: string[] },
): string | null {
  if (recipients.length === 1) return recipients[0]!;
  const passed = trace.flatMap(readName);
  const domains = named.map(addressDomain);
  return (
    onlyOne(recipients.filter((recipient) => passed.includes(recipient.toLowerCase()))) ??
    onlyOne(recipients.filter((recipient) => domains.includes(addressDomain(recipient))))
  );
}

const readName = (text: string) => parseRecipient(text)?.address ?? [];

const onlyOne = (found: string[]): string | null => (found.length === 1 ? found[0]! : null);

import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";

import { readEach } from "#server/core/shared/read-fields.ts";

import { invalidRule } from "./internal/rule-text.ts";

export const FORWARDS_MAX = 5;

/**
 * Validates forwarding addresses and removes duplicates.
 *
 * @param own the mailbox's addresses, to which forwarding would loop
 * @throws Refusal `invalid`
 */
export function checkForwarding(typed: string[], own: string[]): string[] {
  const read = readEach(typed, (text, at) => {
    const field = `forward_to[${at}]`;
    const parsed = parseAddress(text);
    if (!parsed) throw invalidRule(`${text.slice(0, 100)} isn't an email address`, field);
    const { address, written = address } = parsed;
    if (isOwn(address, own)) throw invalidRule("A mailbox can't forward mail to itself", field);
    return [address, written] as const;
  });
  const forwardTo = [...new Map(read).values()];
  if (forwardTo.length > FORWARDS_MAX)
    throw invalidRule(`Mail can be forwarded to at most ${FORWARDS_MAX} addresses`, "forward_to");
  return forwardTo;
}

/** `ann+tag@` is delivered to `ann@` (RFC 5233). */
function isOwn(address: string, own: string[]): boolean {
  return own.includes(address) || own.includes(address.replace(/^([^+@]+)\+[^@]*@/, "$1@"));
}

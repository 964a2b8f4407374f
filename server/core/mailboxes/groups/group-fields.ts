import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** Characters. */
const NAME_MAX = 160;
export const MEMBERS_MAX = 200;

/** What would break the page that shows a name. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/**
 * A group's name as it is kept: trimmed, "" for none.
 *
 * @throws Refusal `invalid`
 */
export function readGroupName(text: string): string {
  const name = text.trim();
  if (Array.from(name).length > NAME_MAX)
    throw new Refusal("invalid", `name: must have at most ${NAME_MAX} characters`);
  if (UNPRINTABLE.test(name))
    throw new Refusal("invalid", "name: must be on one line, without control characters");
  return name;
}

/**
 * The members of a group as they are kept: each once, in lower case, in the order of addresses.
 *
 * @param group its own address
 * @throws Refusal `invalid`
 */
export function readMembers(list: unknown[], group: string): string[] {
  const members = readAddresses(list, "members");
  if (members.length > MEMBERS_MAX)
    throw new Refusal("invalid", `members: must have at most ${MEMBERS_MAX} entries`);
  if (members.includes(group))
    throw new Refusal("invalid", "members: must not have the group itself");
  return members;
}

/**
 * Addresses without names, each once, in lower case and in order.
 *
 * @param field of the call, for the refusal's message
 * @throws Refusal `invalid`
 */
export function readAddresses(list: unknown[], field: string): string[] {
  const addresses = list.map((entry, i) => {
    const address = typeof entry === "string" ? readBareAddress(entry.trim()) : null;
    if (address === null) throw new Refusal("invalid", `${field}[${i}]: must be one email address`);
    return address;
  });
  return [...new Set(addresses)].sort();
}

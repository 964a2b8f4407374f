import { readBareAddress } from "#server/core/shared/addresses/bare-address.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { readText } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";

const NAME_MAX = 160;
export const MEMBERS_MAX = 200;

/**
 * Trims and validates a group's name; "" for none.
 *
 * @throws Refusal `invalid`
 */
export const readGroupName = (text: string): string => readText(text, "name", NAME_MAX);

/**
 * Parses a group's members: lowercase, sorted, without duplicates.
 *
 * @param group the group's own address
 * @throws Refusal `invalid`
 */
export function readMembers(list: unknown[], group: string): string[] {
  const members = readAddresses(list, "members");
  if (members.length > MEMBERS_MAX)
    throw new Refusal("invalid", `members: must have at most ${MEMBERS_MAX} entries`);
  if (members.includes(group))
    throw new Refusal("invalid", "members: must not include the group itself");
  return members;
}

/**
 * Parses addresses without display names: lowercase, sorted, without duplicates.
 *
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export function readAddresses(list: unknown[], field: string): string[] {
  const addresses = readEach(list, (entry, i) => {
    const address = typeof entry === "string" ? readBareAddress(entry.trim()) : null;
    if (address === null)
      throw new Refusal("invalid", `${field}[${i}]: must be a valid email address`);
    return address;
  });
  return [...new Set(addresses)].sort();
}

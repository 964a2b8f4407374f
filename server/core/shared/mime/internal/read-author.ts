import { parseRecipient, readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";
import { trimmed } from "#server/core/shared/mime/header-fields.ts";
import { type AddressItem, splitAddressItems } from "#server/core/shared/mime/read-addresses.ts";

/** The author in a From field. */
export type Author = {
  /** Lowercase; null unless there is exactly one valid address. Hosts with underscores or a single label aren't valid here. */
  address: string | null;
  /** The author's domain; null unless there is exactly one address. */
  domain: string | null;
  /** Number of addresses; text without @ isn't one. */
  addresses: number;
};

/**
 * Parses a From field as mail apps do, more leniently than RFC 5322: allows commas in a name, comments, and a
 * name that looks like an address. The address in angle brackets counts, or else the bare one.
 *
 * @param value in latin1, unfolded
 */
export function readAuthor(value: string): Author {
  const found = splitAddressItems(value).filter(({ address }) => address !== null);
  const [first] = found;
  if (first === undefined || found.length > 1)
    return { address: null, domain: null, addresses: found.length };
  const address = plainAddress(first);
  // A semicolon ends a group, which is no author.
  const isGroup = first.inside === null && first.end === ";";
  const domain =
    isGroup || /[<>]/.test(address)
      ? null
      : readSenderDomain(address.slice(address.lastIndexOf("@") + 1));
  const written = address.startsWith("@") ? first.address! : address;
  return { address: domain && (parseRecipient(written)?.address ?? null), domain, addresses: 1 };
}

/** Without quoted text. */
function plainAddress({ plain }: AddressItem): string {
  const open = plain.indexOf("<");
  return trimmed(open === -1 ? plain : plain.slice(open + 1).replace(/>[^<>@]*$/, ""));
}

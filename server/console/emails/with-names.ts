import type { HeaderAddress } from "#drizzle/schema/index.ts";

/**
 * Addresses as the header has them. Display names go with the content: what is kept for good are the bare
 * addresses.
 */
export function withNames(bare: string[], named: HeaderAddress[] = []): string[] {
  if (named.length !== bare.length) return bare;
  return named.map(({ name, address }) => (name ? `${quoted(name)} <${address}>` : address));
}

/** As it must be written to be read again (RFC 5322, 3.4): quoted unless it is plain words. */
function quoted(name: string): string {
  return /^[\p{L}\p{N} ]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

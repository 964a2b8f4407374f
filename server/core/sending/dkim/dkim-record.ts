import type { DkimKey } from "#drizzle/schema/index.ts";

/** The TXT value of a key's record at `<selector>._domainkey.<domain>` (RFC 6376, 3.6.1; RFC 8463, 4). */
export function dkimRecord({
  algorithm,
  publicKey,
}: Pick<DkimKey, "algorithm" | "publicKey">): string {
  return `v=DKIM1; k=${algorithm}; p=${publicKey}`;
}

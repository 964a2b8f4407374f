import type { DkimKey } from "#drizzle/schema/index.ts";

/** The TXT value of a key's record at `<selector>._domainkey.<domain>` (RFC 6376, 3.6.1). */
export function dkimRecord(key: Pick<DkimKey, "publicKey">): string {
  return `v=DKIM1; k=rsa; p=${key.publicKey}`;
}

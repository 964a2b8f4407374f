import type { Domain, DomainRecordKind } from "#drizzle/schema/index.ts";

/**
 * The status of a checked domain with proven ownership: it sends with SPF and DKIM, and is on the way
 * with one of them.
 *
 * @param verified the records that count as found
 */
export function statusOf(verified: ReadonlySet<DomainRecordKind>): Domain["status"] {
  if (verified.has("spf") && verified.has("dkim")) return "verified";
  return verified.has("spf") || verified.has("dkim") ? "partially_verified" : "pending";
}

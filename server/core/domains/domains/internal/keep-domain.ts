import { and, eq, inArray, isNull, ne, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  apiKeys,
  dkimKeys,
  type Domain,
  domainFindings,
  domains,
  failingMembers,
  groupMembers,
  groups,
  mailboxShares,
} from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/record-deleted.ts";

/**
 * Keeps a locked domain that is about to be deleted, with its DKIM keys, aliases and groups, and which API keys are restricted to it. DMARC and
 * TLS reports aren't kept.
 *
 * @param own its addresses
 * @returns the id to restore it by
 */
export async function keepDomain(
  ctx: Context,
  { id: domainId, name }: Domain,
  own: string[],
): Promise<string> {
  const item = { kind: "domain" as const, name, title: "", domainId, addresses: own };
  const isOwn = and(eq(addresses.domainId, domainId), ne(addresses.kind, "mailbox"))!;
  // A subquery, because a statement can't have as many parameters as a domain can have addresses.
  const listed = sql`(select ${addresses.address} from ${addresses} where ${isOwn})`;
  return recordDeleted(ctx, item, [
    [domains, eq(domains.id, domainId)],
    [domainFindings, eq(domainFindings.domainId, domainId)],
    [dkimKeys, eq(dkimKeys.domainId, domainId)],
    [addresses, isOwn],
    [aliases, inArray(aliases.address, listed)],
    [groups, inArray(groups.address, listed)],
    [groupMembers, inArray(groupMembers.groupAddress, listed)],
    [mailboxShares, inArray(mailboxShares.member, listed)],
    [failingMembers, inArray(failingMembers.groupAddress, listed)],
    [apiKeys, and(eq(apiKeys.domainId, domainId), isNull(apiKeys.revokedAt))!],
  ]);
}

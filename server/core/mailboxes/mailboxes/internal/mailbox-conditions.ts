import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";

import { addresses, mailboxes } from "#drizzle/schema/index.ts";
import { isPasswordChangeDue } from "#server/core/access/single-sign-on/mailbox-provider.ts";
import { requireOwnedDomain } from "#server/core/mailboxes/addresses/new-address.ts";
import {
  lastSignInSeconds,
  NEARLY_FULL,
  usedBytes,
} from "#server/core/mailboxes/mailboxes/shown-mailbox.ts";
import type { Context } from "#server/core/shared/context.ts";
import { containsPattern } from "#server/core/shared/paging/containing.ts";

const MB = 1024 * 1024;

export const MAILBOX_STATES = [
  ...(["active", "suspended", "on_hold", "full", "nearly_full"] as const),
  ...(["password_due", "never_signed_in"] as const),
] as const;
export type MailboxState = (typeof MAILBOX_STATES)[number];

const STATES: Record<MailboxState, SQL> = {
  active: isNull(mailboxes.suspendedAt),
  suspended: isNotNull(mailboxes.suspendedAt),
  on_hold: isNotNull(mailboxes.sendingHeldAt),
  full: usesAtLeast(1),
  nearly_full: sql`${usesAtLeast(NEARLY_FULL)} and not (${usesAtLeast(1)})`,
  password_due: isPasswordChangeDue,
  never_signed_in: sql`${lastSignInSeconds} = 0`,
};

export const inState = (state: MailboxState | undefined) => state && STATES[state];

function usesAtLeast(share: number): SQL {
  return sql`${mailboxes.quotaMb} > 0 and ${usedBytes} >= ${mailboxes.quotaMb} * ${share * MB}::float8`;
}

/** Mailboxes of the company, or of one of its domains. */
export async function inDomain(ctx: Context, domain: string | undefined): Promise<SQL> {
  const isOwn = and(eq(addresses.companyId, ctx.companyId), eq(addresses.kind, "mailbox"))!;
  if (domain === undefined) return isOwn;
  const domainId = await requireOwnedDomain(ctx, domain, "domain");
  return and(isOwn, eq(addresses.domainId, domainId))!;
}

/** Patterns use the trigram index, so a rare match doesn't scan all addresses. */
export function matchesSearch(search: string | undefined): SQL | undefined {
  if (!search) return undefined;
  const pattern = containsPattern(search);
  return sql`(${mailboxes.address} like ${pattern} or lower(${mailboxes.name}) like ${pattern})`;
}

/** Unit IDs are unique across companies, so restrict them to this one. */
export function isBelow(ctx: Context, unit: number | undefined): SQL | undefined {
  if (unit === undefined) return undefined;
  return sql`${mailboxes.orgUnitId} in (
    with recursive below as (
      select id from org_units where id = ${unit}::bigint and company_id = ${ctx.companyId}
      union all
      select u.id from org_units u join below on u.parent_id = below.id
    )
    select id from below)`;
}

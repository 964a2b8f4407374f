import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

import {
  addresses,
  aliases,
  mailboxes,
  mailboxSignIns,
  mailboxUsage,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { mailboxHasFactor } from "#server/core/access/second-factors/mailbox-has-factor.ts";
import {
  isPasswordChangeDue,
  isProviderRequired,
  signsInWithProvider,
} from "#server/core/access/single-sign-on/mailbox-provider.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** From this share of its storage on, a mailbox is nearly full: in the list, the overview and the notices. */
export const NEARLY_FULL = 0.9;

/** A mailbox for display, with Dovecot's counts. */
export type ShownMailbox = {
  address: string;
  name: string;
  suspendedAt: string | null;
  quotaMb: number;
  forcePasswordChange: boolean;
  /** False if the company requires single sign-on. */
  acceptsPassword: boolean;
  /** False if passwords aren't accepted. */
  isPasswordChangeDue: boolean;
  hasSecondFactor: boolean;
  /** Its user can use single sign-on, so app passwords work even if a password change is due. */
  signsInWithProvider: boolean;
  orgUnit: { id: number; name: string };
  usedBytes: number;
  messages: number;
  /** Sorted. */
  aliases: string[];
  lastSignInAt: string | null;
  /** Since when its outgoing mail is on hold. */
  sendingHeldAt: string | null;
  createdAt: string;
};

function selectUsage(column: PgColumn): SQL {
  const { address } = mailboxUsage;
  return sql`select ${column} from ${mailboxUsage} where ${address} = ${mailboxes.address}`;
}

// Subselects instead of joins, which the planner could turn into scans of other companies' rows.
export const usedBytes = sql`coalesce((${selectUsage(mailboxUsage.usedBytes)}), 0)`;

/** The last sign-in with a mail app, in Unix seconds; 0 for never. Dovecot writes whole seconds. */
export const lastSignInSeconds = sql`coalesce((
    select greatest(${mailboxSignIns.lastSignIn}, ${mailboxSignIns.lastPop3}) from ${mailboxSignIns}
    where ${mailboxSignIns.address} = ${mailboxes.address}), 0)`;

const shown = {
  address: mailboxes.address,
  name: mailboxes.name,
  suspendedAt: mailboxes.suspendedAt,
  quotaMb: mailboxes.quotaMb,
  forcePasswordChange: mailboxes.forcePasswordChange,
  hasSecondFactor: mailboxHasFactor,
  acceptsPassword: sql<boolean>`not ${isProviderRequired}`,
  ...{ isPasswordChangeDue, signsInWithProvider },
  orgUnit: { id: orgUnits.id, name: orgUnits.name },
  usedBytes: usedBytes.mapWith(Number),
  messages: sql<number>`coalesce((${selectUsage(mailboxUsage.messages)}), 0)`.mapWith(Number),
  aliases: sql<string[]>`array(
    select ${aliases.address} from ${aliases}
    where ${aliases.mailbox} = ${mailboxes.address} order by ${aliases.address})`,
  lastSignInAt: sql<string | null>`to_timestamp(nullif(${lastSignInSeconds}, 0))`,
  sendingHeldAt: mailboxes.sendingHeldAt,
  createdAt: mailboxes.createdAt,
};

/**
 * Selects mailboxes for display. Filter on `addresses`, whose indexes serve the lists, and on `mailboxes`.
 */
export const selectShownMailboxes = (ctx: CompanyScope) =>
  ctx.db
    .select(shown)
    .from(addresses)
    .innerJoin(
      mailboxes,
      and(eq(mailboxes.address, addresses.address), eq(mailboxes.companyId, addresses.companyId)),
    )
    .innerJoin(orgUnits, eq(orgUnits.id, mailboxes.orgUnitId));

import { eq, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  mailboxes,
  mailboxSignIns,
  mailboxUsage,
  orgUnits,
} from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A mailbox as it is shown, with what Dovecot has counted. */
export type ShownMailbox = {
  address: string;
  name: string;
  suspendedAt: string | null;
  quotaMb: number;
  forcePasswordChange: boolean;
  orgUnit: { id: number; name: string };
  usedBytes: number;
  messages: number;
  /** Sorted. */
  aliases: string[];
  lastSignInAt: string | null;
  /** Since when what it sends is held. */
  sendingHeldAt: string | null;
  createdAt: string;
};

const shown = {
  address: mailboxes.address,
  name: mailboxes.name,
  suspendedAt: mailboxes.suspendedAt,
  quotaMb: mailboxes.quotaMb,
  forcePasswordChange: mailboxes.forcePasswordChange,
  orgUnit: { id: orgUnits.id, name: orgUnits.name },
  usedBytes: sql<number>`coalesce(${mailboxUsage.usedBytes}, 0)`.mapWith(Number),
  messages: sql<number>`coalesce(${mailboxUsage.messages}, 0)`.mapWith(Number),
  aliases: sql<string[]>`array(
    select ${aliases.address} from ${aliases}
    where ${aliases.mailbox} = ${mailboxes.address} order by ${aliases.address})`,
  // Dovecot writes whole seconds.
  lastSignInAt: sql<string | null>`to_timestamp(nullif(${mailboxSignIns.lastSignIn}, 0))`,
  sendingHeldAt: mailboxes.sendingHeldAt,
  createdAt: mailboxes.createdAt,
};

/**
 * Reads mailboxes as they are shown. Conditions are on `addresses`, whose indexes lists are read along,
 * and on `mailboxes`.
 */
export const selectShown = (db: Db) =>
  db
    .select(shown)
    .from(addresses)
    .innerJoin(mailboxes, eq(mailboxes.address, addresses.address))
    .innerJoin(orgUnits, eq(orgUnits.id, mailboxes.orgUnitId))
    .leftJoin(mailboxUsage, eq(mailboxUsage.address, mailboxes.address))
    .leftJoin(mailboxSignIns, eq(mailboxSignIns.address, mailboxes.address));

import { sql } from "drizzle-orm";
import { boolean, index, pgEnum, pgTable, pgView, primaryKey, text } from "drizzle-orm/pg-core";

import { addresses } from "./addresses.ts";
import { createdAt } from "./columns.ts";
import { mailboxes } from "./mailboxes.ts";

export const shareAccess = pgEnum("share_access", ["read", "write"]);

/** Who else can open a mailbox in a mail app: another mailbox of the company, or the members of a group of the company. */
export const mailboxShares = pgTable(
  "mailbox_shares",
  {
    mailbox: text()
      .notNull()
      .references(() => mailboxes.address, { onDelete: "cascade" }),
    /** A mailbox or a group. */
    member: text()
      .notNull()
      .references(() => addresses.address, { onDelete: "cascade" }),
    access: shareAccess().notNull(),
    /** Whether the member can send as the mailbox. */
    sendAs: boolean().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "mailbox_shares_pkey", columns: [t.mailbox, t.member] }),
    index("mailbox_shares_member_idx").on(t.member),
  ],
);

export type MailboxShare = typeof mailboxShares.$inferSelect;

/**
 * What mailbox users can open besides their own mailbox, directly or through groups, also nested ones. Only mailboxes of
 * the same company.
 */
export const mailboxViewers = pgView("mailbox_viewers", {
  viewer: text().notNull(),
  mailbox: text().notNull(),
  canWrite: boolean().notNull(),
  canSendAs: boolean().notNull(),
  /** Whether the same mail host stores both. Only then can Dovecot open it. */
  isNear: boolean().notNull(),
}).as(sql`
  select v.address as viewer, s.mailbox,
    bool_or(s.access = 'write') as can_write, bool_or(s.send_as) as can_send_as,
    bool_and(m.store_host is not distinct from v.store_host) as is_near
  from mailboxes v cross join lateral (
      with recursive up as (
        (select v.address union all select l.address from aliases l where l.mailbox = v.address and l.active)
        union
        select g.address from up
          join group_members gm on gm.member = up.address
          join groups g on g.address = gm.group_address and g.active and g.company_id = v.company_id
      )
      select up.address from up
    ) own
    join mailbox_shares s on s.member = own.address and s.mailbox <> v.address
    join mailboxes m on m.address = s.mailbox and m.company_id = v.company_id
  group by v.address, s.mailbox`);

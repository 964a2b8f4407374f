import { type SQL, sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";

import { addresses } from "./addresses.ts";
import { createdAt, moment } from "./columns.ts";
import { companies } from "./companies.ts";
import { orgUnits } from "./org-units.ts";

export const groupPosting = pgEnum("group_posting", ["anyone", "company", "members", "listed"]);
export const groupModeration = pgEnum("group_moderation", ["none", "strangers", "all"]);
export const groupReplies = pgEnum("group_replies", ["author", "group"]);

/** An address whose mail goes to all its members. Without members, its mail is rejected. */
export const groups = pgTable(
  "groups",
  {
    address: text()
      .primaryKey()
      .references(() => addresses.address, { onDelete: "cascade" }),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** "" for none. */
    name: text().notNull().default(""),
    active: boolean().notNull().default(true),
    posting: groupPosting().notNull().default("anyone"),
    /** Lowercase addresses, and domains as `@example.com`, that may write where `posting` is `listed`. */
    posters: text().array().notNull().default([]),
    /** Whose mail waits for a moderator: that of no author, of non-members, or of every author. */
    moderation: groupModeration().notNull().default("none"),
    /** Members of the company who moderate; if empty, the company's owners do. */
    moderators: text().array().notNull().default([]),
    /** Where replies go: to the author (header fields unchanged), or to the group (Reply-To). */
    replies: groupReplies().notNull().default("author"),
    /** Whether members with a mailbox here may send as the group. */
    membersSendAs: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [index("groups_company_idx").on(t.companyId, t.address)],
);

/** Addresses, local or external, that receive a group's mail. */
export const groupMembers = pgTable(
  "group_members",
  {
    groupAddress: text()
      .notNull()
      .references(() => groups.address, { onDelete: "cascade" }),
    /** Lowercase. Stays when a mailbox with this address is deleted. */
    member: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "group_members_pkey", columns: [t.groupAddress, t.member] }),
    index("group_members_member_idx").on(t.member),
  ],
);

/** Units whose mailboxes, and those in the units below, are members of a group. Resolved on each use. */
export const groupUnits = pgTable(
  "group_units",
  {
    groupAddress: text()
      .notNull()
      .references(() => groups.address, { onDelete: "cascade" }),
    orgUnitId: integer()
      .notNull()
      .references(() => orgUnits.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "group_units_pkey", columns: [t.groupAddress, t.orgUnitId] }),
    // The groups of a mailbox's units.
    index("group_units_unit_idx").on(t.orgUnitId),
  ],
);

/** The addresses of the groups that have a unit, or one above it, as a member. */
export const groupsOfUnit = (unit: SQL) => sql`(
  with recursive above as (
    select id, parent_id from org_units where id = ${unit}
    union all select u.id, u.parent_id from org_units u join above on u.id = above.parent_id
  )
  select gu.group_address from above join group_units gu on gu.org_unit_id = above.id)`;

/** The addresses of the mailboxes in a unit and those below it, or in several. */
export const mailboxesInUnit = (unit: SQL) => sql`(
  with recursive below as (
    select id from org_units where id in (${unit})
    union select u.id from org_units u join below on u.parent_id = below.id
  )
  select m.address from below join mailboxes m on m.org_unit_id = below.id)`;

/** The units that are members of a group. */
export const unitsOfGroup = (group: SQL) =>
  sql`select org_unit_id from group_units where group_address = ${group}`;

/** Group members whose copies failed repeatedly, for the notice to owners. */
export const failingMembers = pgTable(
  "failing_members",
  {
    groupAddress: text()
      .notNull()
      .references(() => groups.address, { onDelete: "cascade" }),
    /** Possibly a member through a nested group. */
    member: text().notNull(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Enhanced status code and server reply of the last failure. */
    dsn: text().notNull(),
    reply: text().notNull(),
    failingSince: moment().notNull(),
    /** When the notice was sent; null before that. */
    noticedAt: moment(),
  },
  (t) => [
    primaryKey({ name: "failing_members_pkey", columns: [t.groupAddress, t.member] }),
    index("failing_members_company_idx").on(t.companyId, t.noticedAt),
  ],
);

export type Group = typeof groups.$inferSelect;

import { boolean, index, pgEnum, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

import { addresses } from "./addresses.ts";
import { createdAt, moment } from "./columns.ts";
import { companies } from "./companies.ts";

export const groupPosting = pgEnum("group_posting", ["anyone", "company", "members", "listed"]);
export const groupModeration = pgEnum("group_moderation", ["none", "strangers", "all"]);
export const groupReplies = pgEnum("group_replies", ["author", "group"]);

/** An address whose mail goes to all its members. Without members its mail is discarded. */
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
    /** Who may write to it. */
    posting: groupPosting().notNull().default("anyone"),
    /** Lowercase addresses, and domains as `@example.com`, that may write where `posting` is `listed`. */
    posters: text().array().notNull().default([]),
    /** Whose mail waits for a moderator: nobody's, that of who is no member, everybody's. */
    moderation: groupModeration().notNull().default("none"),
    /** Members of the company that are asked; without any, the company's owners are. */
    moderators: text().array().notNull().default([]),
    /** Where an answer goes: to who wrote (header fields stay), or to the group (Reply-To). */
    replies: groupReplies().notNull().default("author"),
    /** Whether members that have a mailbox here may write in the group's name. */
    membersSendAs: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [index("groups_company_idx").on(t.companyId, t.address)],
);

/** Who gets a group's mail: addresses of the company or of others. */
export const groupMembers = pgTable(
  "group_members",
  {
    groupAddress: text()
      .notNull()
      .references(() => groups.address, { onDelete: "cascade" }),
    /** Lowercase. It stays when a mailbox of this address is deleted. */
    member: text().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: "group_members_pkey", columns: [t.groupAddress, t.member] }),
    index("group_members_member_idx").on(t.member),
  ],
);

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

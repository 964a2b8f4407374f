import {
  boolean,
  check,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";

import { createdAt, id, moment } from "./columns.ts";

/** A customer of this instance. Every object but the instance's settings belongs to exactly one. */
export const companies = pgTable(
  "companies",
  {
    id: id(),
    name: text().notNull(),
    /**
     * `sandbox`: the company of local mode and of the self-check. `platform`: the appliance itself, which
     * sends its notices like a company does. Neither counts as set up: the first-run page is offered
     * until a customer has an owner.
     */
    purpose: text({ enum: ["customer", "sandbox", "platform"] })
      .notNull()
      .default("customer"),
    /** The operator's switch: off refuses every API call with `service_disabled`. */
    serviceEnabled: boolean().notNull().default(true),
    /** Without an active subscription reading works and sending is refused with `account_inactive`. */
    subscriptionActive: boolean().notNull().default(true),
    /** Set while the operator has suspended the company; its keys then answer `invalid_api_key`. */
    suspendedAt: moment(),
    /** An overdue invoice: number and page to pay it at. Calls answer `account_suspended` until it is paid. */
    overdueInvoice: jsonb().$type<{ number: string; paymentUrl: string }>(),
    /** Addresses and CIDR ranges that may use the company's keys; empty allows all. */
    allowedAddresses: text().array().notNull().default([]),
    /** Recipients per calendar month (UTC) that the plan allows; null allows any number. */
    monthlyAllowance: integer(),
    /** Domains that the plan allows; null allows any number. */
    domainsMax: integer(),
    /** Mailboxes that the plan allows; null allows any number. */
    mailboxesMax: integer(),
    /** Largest mailbox of the plan; a larger one that is asked for gets this size. Null: no limit of the plan. */
    quotaMbMax: integer(),
    /** Size given to a new mailbox when neither the call nor its unit names one. */
    defaultQuotaMb: integer().notNull().default(5120),
    /** Mail from a sender never seen before is to be sent twice: most spam is not. */
    greylisting: boolean().notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [check("companies_name_check", sql`length(${t.name}) between 1 and 200`)],
);

/** A person with console access in one company. Privileges are ignored for the owner, who holds all. */
export const admins = pgTable(
  "admins",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Lowercase. One person signs in with one address, whatever the company. */
    email: text().notNull(),
    name: text().notNull().default(""),
    /** Argon2id in PHC form; null for a person who cannot sign in with a password. */
    passwordHash: text(),
    isOwner: boolean().notNull().default(false),
    privileges: text().array().notNull().default([]),
    /** Set while the person's access is switched off: no sign-in, and the keys they made are refused. */
    disabledAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("admins_email_key").on(t.email),
    check("admins_email_lowercase", sql`${t.email} = lower(${t.email})`),
  ],
);

/** Console sessions. Shape and names are those of lucia's adapter. */
export const sessions = pgTable("sessions", {
  id: text().primaryKey(),
  userId: uuid()
    .notNull()
    .references(() => admins.id, { onDelete: "cascade" }),
  /** The one moment read as a Date: lucia's adapter hands over and expects nothing else. */
  expiresAt: timestamp({ withTimezone: true, precision: 6, mode: "date" }).notNull(),
});

export type Company = typeof companies.$inferSelect;
export type Admin = typeof admins.$inferSelect;

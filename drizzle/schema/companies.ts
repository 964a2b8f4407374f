import {
  type AnyPgColumn,
  boolean,
  check,
  index,
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
import { plans } from "./operation.ts";
import { people } from "./people.ts";
import { identityProviders } from "./single-sign-on.ts";

/** A customer of this instance. Every object but the instance's settings belongs to exactly one. */
export const companies = pgTable(
  "companies",
  {
    id: id(),
    name: text().notNull(),
    /**
     * `sandbox`: the company of local mode and of the self-check. `platform`: the appliance itself, which
     * sends its notices like a company does. Neither counts as set up: the first-run page is offered until
     * a customer has an owner.
     */
    purpose: text({ enum: ["customer", "sandbox", "platform"] })
      .notNull()
      .default("customer"),
    /** The operator's switch: when off, every API call fails with `service_disabled`. */
    serviceEnabled: boolean().notNull().default(true),
    /** Without an active subscription, reading works and sending fails with `account_inactive`. */
    subscriptionActive: boolean().notNull().default(true),
    /** Set while suspended by the operator; its keys then fail with `invalid_api_key`. */
    suspendedAt: moment(),
    /** An overdue invoice: number and payment page. Calls fail with `account_suspended` until it is paid. */
    overdueInvoice: jsonb().$type<{ number: string; paymentUrl: string }>(),
    /** Addresses and CIDR ranges that may use the company's keys; empty allows all. */
    allowedAddresses: text().array().notNull().default([]),
    /** Recipients per calendar month (UTC) that the plan allows; null for no limit. */
    monthlyAllowance: integer(),
    /** Domains that the plan allows; null for no limit. */
    domainsMax: integer(),
    /** Mailboxes that the plan allows; null for no limit. */
    mailboxesMax: integer(),
    /** Largest mailbox of the plan; larger requests get this size. Null: no limit. */
    quotaMbMax: integer(),
    /** Size of a new mailbox if neither the request nor its unit names one. */
    defaultQuotaMb: integer().notNull().default(5120),
    /** Greylisting: unknown senders must send twice, which most spam doesn't. */
    greylisting: boolean().notNull().default(false),
    /** Whether bodies of API requests are logged, masked, if the server's setting allows it. */
    logsRequestBodies: boolean().notNull().default(true),
    /** Whether rspamd scans outgoing mail, and what happens to spam in it. */
    outgoingScan: text({ enum: ["off", "hold", "reject"] })
      .notNull()
      .default("off"),
    /** The plan that sets the limits above; null if the operator set them one by one. */
    planId: uuid().references(() => plans.id),
    /** Every admin needs a second factor: without one, they can only set one up. */
    secondFactorRequired: boolean().notNull().default(false),
    /** Of emails to mailbox users who chose none themselves, and of their welcome sheets; a tag such as `de`. */
    language: text().notNull().default("en"),
    /** Maximum lifetime of a console session. */
    sessionHoursMax: integer().notNull().default(336),
    createdAt: createdAt(),
  },
  (t) => [
    // The operators' list: newest first.
    index("companies_newest_idx").on(t.createdAt, t.id),
    check("companies_name_check", sql`length(${t.name}) between 1 and 200`),
  ],
);

/** A person's console access in one company. Privileges are ignored for an owner, who has all. */
export const admins = pgTable(
  "admins",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Lowercase. The person may be an admin of other companies too. */
    email: text()
      .notNull()
      .references((): AnyPgColumn => people.email, { onUpdate: "cascade" }),
    name: text().notNull().default(""),
    isOwner: boolean().notNull().default(false),
    privileges: text().array().notNull().default([]),
    /** Set while the admin is disabled: no sign-in, and the keys they created are rejected. */
    disabledAt: moment(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("admins_email_key").on(t.email, t.companyId),
    index("admins_company_idx").on(t.companyId, t.email),
  ],
);

/** Console sessions. Table shape and names follow lucia's adapter. */
export const sessions = pgTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: uuid()
      .notNull()
      .references(() => admins.id, { onDelete: "cascade" }),
    /** The only time read as a Date, because lucia's adapter requires it. */
    expiresAt: timestamp({ withTimezone: true, precision: 6, mode: "date" }).notNull(),
    createdAt: createdAt(),
    /** Written at most once a minute. */
    lastUsedAt: moment(),
    clientAddress: text(),
    userAgent: text(),
    /** The identity provider that signed the admin in; the session opens only its company. */
    providerId: uuid().references((): AnyPgColumn => identityProviders.id, { onDelete: "cascade" }),
  },
  (t) => [index("sessions_user_idx").on(t.userId)],
);

export type Company = typeof companies.$inferSelect;
export type Admin = typeof admins.$inferSelect;

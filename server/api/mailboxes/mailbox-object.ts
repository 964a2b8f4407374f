import { z } from "zod";

import { apiTimestamp } from "#server/api/timestamp.ts";
import { domainOf } from "#server/core/shared/addresses/parse-address.ts";
import type { ShownMailbox } from "#server/core/mailboxes/mailboxes/shown-mailbox.ts";

export const MAILBOX_NOT_FOUND = "Mailbox not found";

const object = z.literal("mailbox").describe("What kind of object this is");
const email = z
  .string()
  .describe("The address, in lower case; names the mailbox in paths and serves as cursor");

const NEW_PASSWORD = "20 characters, shown this once";

/** A mailbox. Its password is never shown. */
export const MailboxObject = z
  .object({
    object,
    email,
    name: z.string().describe("Display name"),
    domain: z.string().describe("Domain of the address"),
    active: z
      .boolean()
      .describe("False while suspended: mail is still received, and the user cannot sign in"),
    quota_mb: z.int().describe("How much it may hold, in MB"),
    used_bytes: z.int().describe("How much it holds"),
    messages: z.int().describe("How many messages it holds"),
    force_password_change: z
      .boolean()
      .describe("The user has to choose a new password before mail apps are let in"),
    org_unit: z
      .object({
        id: z.int().describe("Id of the unit"),
        name: z.string().describe("Name of the unit"),
      })
      .nullable()
      .describe("The organizational unit; the root unit for mailboxes that were not moved"),
    aliases: z.array(z.string()).describe("Its other addresses, in lower case and sorted"),
    last_sign_in_at: z
      .string()
      .nullable()
      .describe("When a mail app last signed in; null for never"),
  })
  .meta({ id: "Mailbox" });

export const MailboxCreated = MailboxObject.extend({
  temporary_password: z.string().describe(`Password for the first sign-in. ${NEW_PASSWORD}`),
}).meta({ id: "MailboxCreated" });

export const MailboxDeleted = z
  .object({ object, email, deleted: z.literal(true).describe("It is gone") })
  .meta({ id: "MailboxDeleted" });

export const PasswordReset = z
  .object({
    object,
    email,
    force_password_change: z.literal(true).describe("The user has to choose a new password"),
    temporary_password: z.string().describe(`The new password. ${NEW_PASSWORD}`),
  })
  .meta({ id: "PasswordReset" });

/** Part of a path. */
export const MailboxPath = z.object({
  email: z.string().describe("Address of the mailbox in any case, its @ URL-encoded or not"),
});

export function mailboxObject(mailbox: ShownMailbox): z.input<typeof MailboxObject> {
  return {
    object: "mailbox",
    email: mailbox.address,
    name: mailbox.name,
    domain: domainOf(mailbox.address),
    active: mailbox.suspendedAt === null,
    quota_mb: mailbox.quotaMb,
    used_bytes: mailbox.usedBytes,
    messages: mailbox.messages,
    force_password_change: mailbox.forcePasswordChange,
    org_unit: mailbox.orgUnit,
    aliases: mailbox.aliases,
    last_sign_in_at: mailbox.lastSignInAt === null ? null : apiTimestamp(mailbox.lastSignInAt),
  };
}

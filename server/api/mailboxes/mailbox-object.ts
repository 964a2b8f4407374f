import { z } from "zod";

import { apiTimestamp } from "#server/api/timestamp.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { ShownMailbox } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";

export const MAILBOX_NOT_FOUND = "Mailbox not found";

const object = z.literal("mailbox").describe("Object type");
const email = z
  .string()
  .describe(
    "Lowercase address: identifies the mailbox in paths and serves as the pagination cursor",
  );

const NEW_PASSWORD = "20 characters, shown only once";

export const MailboxObject = z
  .object({
    object,
    email,
    name: z.string().describe("Display name"),
    domain: z.string().describe("Domain of the address"),
    active: z
      .boolean()
      .describe(
        "`false` while suspended: the mailbox still receives mail, but the user can't sign in",
      ),
    quota_mb: z.int().describe("Mailbox size in MB"),
    used_bytes: z.int().describe("Storage used, in bytes"),
    messages: z.int().describe("Number of stored messages"),
    force_password_change: z
      .boolean()
      .describe("Whether the user must set a new password before mail apps can sign in"),
    org_unit: z
      .object({
        id: z.int().describe("The unit's ID"),
        name: z.string().describe("The unit's name"),
      })
      .nullable()
      .describe("The organizational unit; the root unit unless the mailbox was moved"),
    aliases: z.array(z.string()).describe("Additional addresses, lowercase and sorted"),
    last_sign_in_at: z
      .string()
      .nullable()
      .describe("When a mail app last signed in; null if never"),
  })
  .meta({ id: "Mailbox" });

export const MailboxCreated = MailboxObject.extend({
  temporary_password: z.string().describe(`Password for the first sign-in. ${NEW_PASSWORD}`),
}).meta({ id: "MailboxCreated" });

export const MailboxDeleted = z
  .object({ object, email, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "MailboxDeleted" });

export const PasswordReset = z
  .object({
    object,
    email,
    force_password_change: z
      .literal(true)
      .describe("Always `true`: the user must set a new password"),
    temporary_password: z.string().describe(`The new password. ${NEW_PASSWORD}`),
  })
  .meta({ id: "PasswordReset" });

export const MailboxPath = z.object({
  email: z
    .string()
    .describe("The mailbox address. Case is ignored; URL-encoding the @ is optional"),
});

export function mailboxObject(mailbox: ShownMailbox): z.input<typeof MailboxObject> {
  return {
    object: "mailbox",
    email: mailbox.address,
    name: mailbox.name,
    domain: addressDomain(mailbox.address),
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

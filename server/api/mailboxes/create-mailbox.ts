import { z } from "zod";

import { createMailbox as create } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Name, NamePart, NewAddress, QuotaMb } from "./mailbox-fields.ts";
import { MailboxCreated, mailboxObject } from "./mailbox-object.ts";

export const createMailbox = defineEndpoint({
  method: "POST",
  path: "/mailboxes",
  summary: "Create a mailbox",
  description:
    "The mailbox receives mail immediately. Its user signs in at `/account` with the temporary password and sets a new one; after that, mail apps can sign in over encrypted connections. The policies of the mailbox's unit apply. Provide `name`, or `first_name` with an optional `last_name`. Mailboxes of one company are created one at a time.",
  permission: "full_access",
  privilege: "create_users",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  body: z.object({
    email: NewAddress.describe(
      "An unused address in one of the company's verified domains. The part before the @ can have up to 64 letters, digits and `. _ + -`, and must start and end with a letter or digit. Stored in lowercase",
    ),
    name: Name.nullish().describe("Display name. Required unless `first_name` is provided"),
    first_name: NamePart.nullish().describe(
      "First part of the display name, used if `name` is absent",
    ),
    last_name: NamePart.nullish().describe(
      "Second part of the display name, used if `name` is absent",
    ),
    quota_mb: QuotaMb.nullish().describe(
      "Mailbox size in MB. Capped at the plan's mailbox size; defaults to the company's default size",
    ),
    org_unit_id: z
      .int()
      .nullish()
      .describe("ID of the organizational unit; defaults to the root unit"),
  }),
  response: MailboxCreated,
  refusals: [
    "missing_required_field",
    "invalid",
    "account_inactive",
    "not_allowed",
    "already_exists",
    "payload_too_large",
    "mail_server_error",
  ],
  async handle({ ctx, key, body }) {
    const { mailbox, temporaryPassword } = await create(ctx, key, {
      email: body.email,
      name: body.name ?? undefined,
      firstName: body.first_name ?? undefined,
      lastName: body.last_name ?? undefined,
      quotaMb: body.quota_mb ?? undefined,
      orgUnitId: body.org_unit_id ?? undefined,
    });
    return { ...mailboxObject(mailbox), temporary_password: temporaryPassword };
  },
});

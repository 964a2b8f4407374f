import { z } from "zod";

import { createMailbox as create } from "#server/core/mailboxes/mailboxes/create-mailbox.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Name, NamePart, NewAddress, QuotaMb } from "./mailbox-fields.ts";
import { MailboxCreated, mailboxObject } from "./mailbox-object.ts";

export const createMailbox = defineEndpoint({
  method: "POST",
  path: "/mailboxes",
  summary: "Create a mailbox",
  description:
    "It takes mail at once. The user signs in with the temporary password at `/account` and sets one of their own; mail apps, which have to use encrypted connections, are let in from then on. It has the policies of its unit. Give `name`, or `first_name` with or without `last_name`. Mailboxes of one company are created one at a time.",
  permission: "full_access",
  privilege: "create_users",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  body: z.object({
    email: NewAddress.describe(
      "The address, in a verified domain of the company. Before the @ letters, digits and `. _ + -`, at most 64 characters, the first and the last a letter or digit. Kept in lower case",
    ),
    name: Name.nullish().describe("Display name. Needed unless `first_name` is given"),
    first_name: NamePart.nullish().describe("Where there is no `name`: the display name's start"),
    last_name: NamePart.nullish().describe("Where there is no `name`: the display name's end"),
    quota_mb: QuotaMb.nullish().describe(
      "How much it may hold, in MB. Lowered to the plan's mailbox size if that is smaller; the company's default size when left out",
    ),
    org_unit_id: z
      .int()
      .nullish()
      .describe("Id of the organizational unit; the root unit when left out"),
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

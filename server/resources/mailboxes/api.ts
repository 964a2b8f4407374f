import { z } from "zod";

import { apiTimestamp } from "#server/http/timestamps.ts";
import { requireVerifiedDomain } from "#server/core/mailboxes/addresses/addresses.ts";
import {
  createMailbox,
  getMailbox,
  updateMailbox,
} from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import { listMailboxes, type ShownMailbox } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { NAME_MAX, NAME_PART_MAX } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { replaceMailboxPassword } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

const object = z.literal("mailbox").describe("Object type");

const email = z
  .string()
  .describe(
    "Lowercase address: identifies the mailbox in paths and serves as the pagination cursor",
  );

const NEW_PASSWORD = "20 characters, shown only once";

const MailboxObject = z
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

const MailboxCreated = MailboxObject.extend({
  temporary_password: z.string().describe(`Password for the first sign-in. ${NEW_PASSWORD}`),
}).meta({ id: "MailboxCreated" });

const MailboxDeleted = z
  .object({ object, email, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "MailboxDeleted" });

const PasswordReset = z
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

const mailboxObject = (mailbox: ShownMailbox): z.input<typeof MailboxObject> => ({
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
  last_sign_in_at: mailbox.lastMailAppAt === null ? null : apiTimestamp(mailbox.lastMailAppAt),
});

export const NewAddress = blankIsMissing(z.string()).meta({ type: "string" });

const Name = z.string().meta({ maxLength: NAME_MAX });

const NamePart = z.string().meta({ maxLength: NAME_PART_MAX });

const QuotaMb = z.number().meta({ type: "integer", minimum: QUOTA_MB_MIN, maximum: QUOTA_MB_MAX });

const ANN = "ann@shop.example";

const SALES = "sales@shop.example";

const PASSWORD = "hR7vTqk2YdXw9mZbN4cu";

const shown = {
  object: "mailbox",
  email: ANN,
  name: "Ann Smith",
  domain: "shop.example",
  active: true,
  quota_mb: 5120,
  used_bytes: 1482931,
  messages: 37,
  force_password_change: false,
  org_unit: { id: 4, name: "Sales" },
  aliases: [SALES],
  last_sign_in_at: "2026-03-02 09:12:07.000000+00",
};

const unused = { used_bytes: 0, messages: 0, aliases: [], last_sign_in_at: null };

export const mailboxExamples: Record<string, Example> = {
  "GET /mailboxes": {
    query: { domain: "shop.example", limit: "20" },
    answer: { object: "list", has_more: false, data: [shown] },
    sdk: ["get", "/mailboxes?domain=shop.example&limit=20"],
  },
  "POST /mailboxes": {
    body: { email: ANN, name: "Ann Smith", org_unit_id: 4 },
    answer: {
      ...shown,
      ...unused,
      force_password_change: true,
      temporary_password: PASSWORD,
    },
    sdk: ["post", "/mailboxes", { email: ANN, name: "Ann Smith", org_unit_id: 4 }],
  },
  "GET /mailboxes/{email}": {
    params: { email: ANN },
    answer: shown,
    sdk: ["get", `/mailboxes/${ANN}`],
  },
  "PATCH /mailboxes/{email}": {
    params: { email: ANN },
    body: { active: false },
    answer: { ...shown, active: false },
    sdk: ["patch", `/mailboxes/${ANN}`, { active: false }],
  },
  "DELETE /mailboxes/{email}": {
    params: { email: ANN },
    answer: { object: "mailbox", email: ANN, deleted: true },
    sdk: ["delete", `/mailboxes/${ANN}`],
  },
  "POST /mailboxes/{email}/password": {
    params: { email: ANN },
    body: { keep_app_passwords: false },
    answer: {
      object: "mailbox",
      email: ANN,
      force_password_change: true,
      temporary_password: PASSWORD,
    },
    sdk: ["post", `/mailboxes/${ANN}/password`, { keep_app_passwords: false }],
  },
};

export const mailboxesApi = {
  list: defineEndpoint("GET", "/mailboxes", {
    summary: "List mailboxes",
    description:
      "Ordered by address; cursors are addresses. If the role of the key's creator is limited to an organizational unit, only mailboxes of that unit and its subunits are listed.",
    privilege: "view_users",
    admitsUnitRoles: true,
    query: PageQuery.and(
      z.object({
        domain: z
          .string({ error: "must appear only once" })
          .optional()
          .describe("Only mailboxes in this domain, which must be verified"),
      }),
    ),
    response: listResponse(MailboxObject),
    async handle({ ctx, key, query: { domain, ...page } }) {
      if (domain !== undefined) await requireVerifiedDomain(ctx, domain, "domain");
      return listObject(await listMailboxes(ctx, key, page, { domain }), mailboxObject);
    },
  }),

  create: defineEndpoint("POST", "/mailboxes", {
    summary: "Create a mailbox",
    description:
      "The mailbox receives mail immediately. Its user signs in at `/account` with the temporary password and sets a new one; after that, mail apps can sign in over encrypted connections. The policies of the mailbox's unit apply. Provide `name`, or `first_name` with an optional `last_name`. Mailboxes of one company are created one at a time.",
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
      "account_inactive",
      "not_allowed",
      "already_exists",
      "payload_too_large",
      "mail_server_error",
    ],
    async handle({ ctx, key, body }) {
      const { mailbox, temporaryPassword } = await createMailbox(ctx, key, {
        email: body.email,
        name: body.name ?? undefined,
        firstName: body.first_name ?? undefined,
        lastName: body.last_name ?? undefined,
        quotaMb: body.quota_mb ?? undefined,
        orgUnitId: body.org_unit_id ?? undefined,
      });
      return { ...mailboxObject(mailbox), temporary_password: temporaryPassword };
    },
  }),

  get: defineEndpoint("GET", "/mailboxes/{email}", {
    summary: "Retrieve a mailbox",
    privilege: "view_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    response: MailboxObject,
    handle: async ({ ctx, key, params }) => mailboxObject(await getMailbox(ctx, key, params.email)),
  }),

  update: defineEndpoint("PATCH", "/mailboxes/{email}", {
    summary: "Update a mailbox",
    description:
      "Changes the fields you provide. Each field requires its own privilege: `name` and `quota_mb` require `update_users`, `active` requires `suspend_users`, `force_password_change` requires `reset_user_passwords`. If one is missing, nothing changes. Suspending a mailbox or forcing a password change ends the user's sessions.",
    privilege: ["update_users", "suspend_users", "reset_user_passwords"],
    admitsUnitRoles: true,
    bodyLimit: "directory",
    params: MailboxPath,
    body: z
      .object({
        name: Name.optional().describe("Display name"),
        quota_mb: QuotaMb.optional().describe(
          "Mailbox size in MB. Capped at the plan's mailbox size",
        ),
        active: z.boolean().optional().describe("`false` suspends the mailbox, `true` restores it"),
        force_password_change: z
          .boolean()
          .optional()
          .describe("Whether the user must set a new password at the next sign-in"),
      })
      .refine((change) => Object.values<unknown>(change).some((value) => value !== undefined), {
        error: "Provide at least one of name, quota_mb, active and force_password_change",
      }),
    response: MailboxObject,
    refusals: ["payload_too_large", "mail_server_error"],
    handle: async ({ ctx, key, params, body }) =>
      mailboxObject(
        await updateMailbox(ctx, key, params.email, {
          name: body.name,
          quotaMb: body.quota_mb,
          active: body.active,
          forcePasswordChange: body.force_password_change,
        }),
      ),
  }),

  delete: defineEndpoint("DELETE", "/mailboxes/{email}", {
    summary: "Delete a mailbox",
    description:
      "Deletes the mailbox with its mail and aliases; its addresses are free at once. Groups keep the address as a member. In the console, owners can restore it for 20 days, unless the operator changed `keep_deleted_days`.",
    privilege: "owner",
    params: MailboxPath,
    response: MailboxDeleted,
    refusals: ["mail_server_error"],
    async handle({ ctx, params }) {
      const { address: email } = await deleteMailbox(ctx, params.email);
      return { object: "mailbox" as const, email, deleted: true as const };
    },
  }),

  resetPassword: defineEndpoint("POST", "/mailboxes/{email}/password", {
    summary: "Reset a mailbox password",
    description:
      "Replaces the password with a temporary one and ends the user's sessions. The user signs in at `/account` with the temporary password and sets a new one; until then, mail apps can't sign in. App passwords are deleted unless `keep_app_passwords` is true.",
    privilege: "reset_user_passwords",
    admitsUnitRoles: true,
    params: MailboxPath,
    body: z
      .object({
        keep_app_passwords: z
          .boolean()
          .optional()
          .describe("Keep the app passwords, which otherwise are deleted"),
      })
      .optional(),
    response: PasswordReset,
    refusals: ["mail_server_error"],
    async handle({ ctx, key, params, body }) {
      const { mailbox, temporaryPassword } = await replaceMailboxPassword(ctx, key, params.email, {
        keepsAppPasswords: body?.keep_app_passwords,
      });
      return {
        object: "mailbox" as const,
        email: mailbox,
        force_password_change: true as const,
        temporary_password: temporaryPassword,
      };
    },
  }),
};

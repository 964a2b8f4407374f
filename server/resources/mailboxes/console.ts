import { z } from "zod";

import { countedList, pageList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { csvDownload } from "#server/http/downloads.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import { findMainDomain, listVerifiedDomains } from "#server/core/mailboxes/addresses/addresses.ts";
import { listGroupsOfMailbox } from "#server/core/mailboxes/groups/group-list.ts";
import {
  createMailbox,
  getMailbox,
  updateMailbox,
} from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { deleteMailbox } from "#server/core/mailboxes/mailboxes/mailbox-removal.ts";
import {
  MAILBOX_SORT_KEYS,
  MAILBOX_STATES,
  type MailboxFilter,
  type MailboxSort,
  readAllMailboxes,
  readMailboxSizes,
  searchMailboxes,
  type ShownMailbox,
} from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { readCollectionUsage } from "#server/core/mailboxes/collections/collection-usage.ts";
import { readSetups } from "#server/core/mailboxes/client-settings/client-settings.ts";
import { listUnits } from "#server/core/mailboxes/org-units/unit-views.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";
import { CATALOGS } from "#server/universal/texts/languages.ts";
import { renameMailbox } from "#server/core/mailboxes/mailboxes/rename-mailbox.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

import { MailboxPath } from "./api.ts";

/** The ID is the address. `may` is what the signed-in admin can do. */
function mailboxRow(callerPrivileges: HeldPrivileges, mailbox: ShownMailbox) {
  const { address: id, name, lastSignInAt, lastMailAppAt, orgUnit } = mailbox;
  return {
    id,
    name,
    active: mailbox.suspendedAt === null,
    sendingHeld: mailbox.sendingHeldAt !== null,
    forcePasswordChange: mailbox.forcePasswordChange,
    passwordChangeDue: mailbox.isPasswordChangeDue,
    acceptsPassword: mailbox.acceptsPassword,
    quotaMb: mailbox.quotaMb,
    usedBytes: mailbox.usedBytes,
    messages: mailbox.messages,
    lastSignInAt: lastSignInAt && consoleTimestamp(lastSignInAt),
    lastMailAppAt: lastMailAppAt && consoleTimestamp(lastMailAppAt),
    orgUnit,
    may: {
      update: hasPrivilegeIn(callerPrivileges, "update_users", orgUnit.id),
      suspend: hasPrivilegeIn(callerPrivileges, "suspend_users", orgUnit.id),
      reset_password: hasPrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnit.id),
    },
  };
}

const Filters = z.object({
  search: z.string().max(200).optional(),
  domain: z.string().optional(),
  /** `nearly_full` means at least 90%, but not full. */
  status: z.enum(MAILBOX_STATES).optional(),
  /** Mailboxes in this unit or its subunits. */
  unit: z
    .string()
    .regex(/^\d{1,10}$/, { error: "must be a unit ID" })
    .transform(Number)
    .optional(),
});

/** What to list, and in which order. */
const MailboxSearchQuery = Filters.extend({
  sort: sortQuery(MAILBOX_SORT_KEYS, "address"),
});

const readMailboxSearch = ({
  sort,
  ...filter
}: z.output<typeof MailboxSearchQuery>): { filter: MailboxFilter; sort: MailboxSort } => ({
  filter,
  sort,
});

const mailboxDetail = async (
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  mailbox: ShownMailbox,
) => ({
  ...mailboxRow(callerPrivileges, mailbox),
  domain: addressDomain(mailbox.address),
  aliases: mailbox.aliases,
  groups: await listGroupsOfMailbox(ctx, mailbox.address),
  hasSecondFactor: mailbox.hasSecondFactor,
  signsInWithProvider: mailbox.signsInWithProvider,
  createdAt: consoleTimestamp(mailbox.createdAt),
  /** Of calendars and contacts; null if they are off. */
  collections: await readCollectionUsage(ctx, mailbox.address),
});

const SHEETS_MAX = 100;

/** The limit of a bulk action. */
const SELECTED_MAX = 1_000;

export const mailboxesConsole = pageEndpoints("console", "mailboxes", {
  list: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    query: PageQuery.and(MailboxSearchQuery),
    async handle({ ctx, signedIn, query: { limit, after, before, ...query } }) {
      const { filter, sort } = readMailboxSearch(query);
      const page = await searchMailboxes(ctx, signedIn, { limit, after, before }, filter, sort);
      return countedList(page, (mailbox) => mailboxRow(signedIn, mailbox));
    },
  }),

  export: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    query: MailboxSearchQuery,
    handle({ ctx, signedIn, query }) {
      const pages = readAllMailboxes(ctx, signedIn, readMailboxSearch(query));
      return csvDownload("mailboxes.csv", pages, {
        address: ({ address }) => address,
        name: ({ name }) => name,
        unit: ({ orgUnit }) => orgUnit.name,
        suspended: ({ suspendedAt }) => suspendedAt !== null,
        sending_on_hold: ({ sendingHeldAt }) => sendingHeldAt !== null,
        password_change_required: ({ isPasswordChangeDue }) => isPasswordChangeDue,
        storage_limit_mb: ({ quotaMb }) => quotaMb,
        used_bytes: ({ usedBytes }) => usedBytes,
        messages: ({ messages }) => messages,
        last_sign_in_at: ({ lastSignInAt }) => lastSignInAt && consoleTimestamp(lastSignInAt),
        aliases: ({ aliases }) => aliases.join(" "),
        created_at: ({ createdAt }) => consoleTimestamp(createdAt),
      });
    },
  }),

  getOptions: read({
    privilege: ["view_users", "create_users", "update_users"],
    admitsUnitRoles: true,
    async handle({ ctx, signedIn }) {
      const [domains, main, units, sizes] = await Promise.all([
        listVerifiedDomains(ctx),
        findMainDomain(ctx),
        listUnits(ctx),
        readMailboxSizes(ctx),
      ]);
      return {
        domains,
        mainDomain: main,
        units: units
          .map(({ id, name, depth }) => ({
            id,
            name,
            depth,
            mayCreate: hasPrivilegeIn(signedIn, "create_users", id),
            mayUpdate: hasPrivilegeIn(signedIn, "update_users", id),
          }))
          .filter((unit) => unit.mayCreate || unit.mayUpdate),
        defaultQuotaMb: sizes.defaultQuotaMb,
        quotaMbMax: sizes.quotaMbMax,
      };
    },
  }),

  create: change({
    privilege: "create_users",
    admitsUnitRoles: true,
    bodyLimit: "directory",
    body: z.object({
      email: z.string(),
      name: z.string(),
      quotaMb: z.number().optional(),
      orgUnitId: z.int().optional(),
      aliases: z.array(z.string()).optional(),
      groups: z.array(z.string()).optional(),
      /** A private address that gets a link to set the password. */
      instructionsTo: z.string().max(320).optional(),
    }),
    async handle({ ctx, signedIn, body }) {
      const to = body.instructionsTo;
      const { mailbox, temporaryPassword } = await createMailbox(ctx, signedIn, {
        email: body.email,
        name: body.name,
        quotaMb: body.quotaMb,
        orgUnitId: body.orgUnitId,
        aliases: body.aliases,
        groups: body.groups,
        instructions: to === undefined ? undefined : { to, sentBy: signedIn.email },
      });
      return {
        id: mailbox.address,
        temporaryPassword: to === undefined ? temporaryPassword : null,
      };
    },
  }),

  get: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    params: MailboxPath,
    handle: async ({ ctx, signedIn, params }) =>
      mailboxDetail(ctx, signedIn, await getMailbox(ctx, signedIn, params.email)),
  }),

  update: change({
    privilege: ["update_users", "suspend_users", "reset_user_passwords"],
    admitsUnitRoles: true,
    bodyLimit: "directory",
    params: MailboxPath,
    body: z
      .object({
        name: z.string(),
        quotaMb: z.number(),
        active: z.boolean(),
        forcePasswordChange: z.boolean(),
        orgUnitId: z.int(),
      })
      .partial(),
    async handle({ ctx, signedIn, params: { email }, body }) {
      const changed = await updateMailbox(ctx, signedIn, email, body);
      return mailboxDetail(ctx, signedIn, changed);
    },
  }),

  rename: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    bodyLimit: "directory",
    params: MailboxPath,
    body: z.object({ address: z.string() }),
    handle: async ({ ctx, signedIn, params: { email }, body: { address } }) => ({
      id: await renameMailbox(ctx, signedIn, email, address),
    }),
  }),

  delete: change({
    privilege: "owner",
    params: MailboxPath,
    /** `deliverTo`: the mailbox that gets its mail from now on. */
    body: z.object({ deliverTo: z.string().max(320).optional() }).prefault({}),
    async handle({ ctx, params, body }) {
      const { address: id, deletedId } = await deleteMailbox(ctx, params.email, body);
      return { id, deletedId };
    },
  }),

  select: read({
    privilege: "view_users",
    admitsUnitRoles: true,
    query: MailboxSearchQuery,
    async handle({ ctx, signedIn, query }) {
      const first = { limit: SELECTED_MAX, after: null, before: null };
      const { filter, sort } = readMailboxSearch(query);
      return pageList(await searchMailboxes(ctx, signedIn, first, filter, sort), (mailbox) =>
        mailboxRow(signedIn, mailbox),
      );
    },
  }),

  /** POST, because a hundred addresses are too long for a URL. */
  readSetUps: change({
    privilege: ["view_users", "create_users", "reset_user_passwords"],
    admitsUnitRoles: true,
    body: z.object({ emails: z.array(z.string()).min(1).max(SHEETS_MAX) }),
    async handle({ ctx, signedIn, body }) {
      const setUps = await readSetups(ctx, signedIn, body.emails);
      return {
        data: setUps.map(({ address, language, ...setUp }) => ({
          ...setUp,
          id: address,
          language,
          texts: CATALOGS[language].sheet,
        })),
      };
    },
  }),
});

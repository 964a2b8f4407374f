import { z } from "zod";

import { consoleTimestamp } from "#server/http/timestamps.ts";
import { receivesMailHere } from "#server/core/domains/mta-sts/policy.ts";
import {
  ACCOUNTS_MAX,
  cancelImport,
  getImport,
  listImports,
  repeatImport,
  type ShownImport,
  startImports,
} from "#server/core/mailboxes/imports/imports.ts";
import { checkSource } from "#server/core/mailboxes/imports/import-source.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";

/** How to reach the other server, and to sign in there. Values are validated in `core`. */
const serverFields = {
  host: z.string().max(1_000),
  port: z.int(),
  security: z.enum(["tls", "starttls", "none"]).default("tls"),
  secretKind: z.enum(["password", "oauth", "google", "microsoft"]).default("password"),
};

const ImportPath = z.object({ id: z.string() });

const shownImport = (row: ShownImport) => ({
  id: row.id,
  mailbox: row.mailbox,
  host: row.host,
  account: row.account,
  secretKind: row.secretKind,
  hasSecret: row.hasSecret,
  state: row.state,
  problem: row.problem,
  messagesTotal: row.messagesTotal,
  messagesDone: row.messagesDone,
  messagesImported: row.messagesImported,
  bytesImported: row.bytesImported,
  errors: row.errors,
  secondsLeft: row.secondsLeft,
  createdAt: consoleTimestamp(row.createdAt),
  finishedAt: row.finishedAt && consoleTimestamp(row.finishedAt),
});

const accountFields = {
  account: z.string().max(1_000),
  secret: z.string().max(20_000),
};

/** Imports of mail from other servers. */
export const mailImportsConsole = pageEndpoints("console", "mailImports", {
  start: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    bodyLimit: "sending",
    body: z.object({
      ...serverFields,
      /** For up to 14 days, to import new mail without entering it again. */
      keepSecret: z.boolean().default(true),
      accounts: z
        .array(z.object({ ...accountFields, mailbox: z.string().max(1_000) }))
        .min(1)
        .max(ACCOUNTS_MAX, { error: `must have at most ${ACCOUNTS_MAX} entries` }),
    }),
    async handle({ ctx, signedIn, body }) {
      const { keepSecret: keepsSecret, ...given } = body;
      return { ids: await startImports(ctx, signedIn, { ...given, keepsSecret }) };
    },
  }),

  checkSource: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    body: z.object({ ...serverFields, ...accountFields }),
    async handle({ ctx, body: { secretKind: kind, secret, ...server } }) {
      const folders = await checkSource(ctx, { ...server, secret: { kind, value: secret } });
      return {
        folders: folders.map(({ source, target, messages }) => ({ source, target, messages })),
        messages: folders.reduce((sum, { messages }) => sum + messages, 0),
      };
    },
  }),

  list: read({
    privilege: "update_users",
    admitsUnitRoles: true,
    query: z.object({
      state: z.enum(["queued", "running", "done", "failed", "canceled"]).optional(),
      search: z.string().max(200).optional(),
    }),
    async handle({ ctx, signedIn, query }) {
      const imports = await listImports(ctx, signedIn, query);
      const names = new Set(imports.map(({ mailbox }) => addressDomain(mailbox)));
      const domains = [...names]
        .toSorted()
        .map(async (name) => ({ name, receives: await receivesMailHere(ctx.db, name) }));
      return { data: imports.map(shownImport), domains: await Promise.all(domains) };
    },
  }),

  get: read({
    privilege: "update_users",
    admitsUnitRoles: true,
    params: ImportPath,
    async handle({ ctx, signedIn, params: { id } }) {
      const { folders, failed, ...shown } = await getImport(ctx, signedIn, id);
      return {
        ...shownImport(shown),
        folders,
        failed,
      };
    },
  }),

  cancel: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    params: ImportPath,
    async handle({ ctx, signedIn, params: { id } }) {
      await cancelImport(ctx, signedIn, id);
      return { id };
    },
  }),

  repeat: change({
    privilege: "update_users",
    admitsUnitRoles: true,
    params: ImportPath,
    body: z.object({ secret: accountFields.secret.optional() }),
    async handle({ ctx, signedIn, params: { id }, body }) {
      await repeatImport(ctx, signedIn, id, body);
      return { id };
    },
  }),
});

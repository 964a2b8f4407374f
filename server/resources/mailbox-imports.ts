import { z } from "zod";

import { checkImport } from "#server/core/mailboxes/mailbox-imports/check-import.ts";
import {
  describeImportProblem,
  eraseImportPasswords,
  getMailboxImport,
  listMailboxImports,
  readImportPasswords,
  resumeMailboxImport,
  type ShownMailboxImport,
  startMailboxImport,
  stopMailboxImport,
} from "#server/core/mailboxes/mailbox-imports/mailbox-imports.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { change, pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";

const LINES_MAX = 5_000;

const ALIASES_MAX = 50;

/** Above every field's limit, so that the field's own error names the field. */
const Text = z.string().max(1_000);

const List = z.object({
  lines: z
    .array(
      z.object({
        /** The line's number in the file. */
        number: z.int().min(1).max(1_000_000),
        email: Text,
        name: Text.default(""),
        quotaMb: z.number().optional(),
        unit: Text.default(""),
        aliases: z.array(Text).max(ALIASES_MAX).default([]),
        /** A private address that gets a link to set the password. */
        instructionsTo: Text.default(""),
        status: Text.optional(),
      }),
    )
    .min(1)
    .max(LINES_MAX, { error: `must have at most ${LINES_MAX} lines` }),
  /** Creates units that don't exist. */
  createUnits: z.boolean().default(false),
});

const ImportPath = pathOf("Import not found", { id: z.uuid() });

const shownImport = <Row extends ShownMailboxImport>(row: Row) => ({
  ...row,
  createdAt: consoleTimestamp(row.createdAt),
  finishedAt: row.finishedAt && consoleTimestamp(row.finishedAt),
});

/** Imports of mailboxes from lists. */
export const mailboxImportsConsole = pageEndpoints("console", "mailboxImports", {
  check: change({
    privilege: "create_users",
    admitsUnitRoles: true,
    bodyLimit: "sending",
    body: List,
    async handle({ ctx, signedIn, body }) {
      const { createUnits: createsUnits } = body;
      const { lines, ...rest } = await checkImport(ctx, signedIn, body.lines, { createsUnits });
      return {
        ...rest,
        lines: lines.map(({ address, unit, problems, ...line }) => ({
          ...line,
          email: address,
          problems: problems.map(({ field, message }) => describeImportProblem(field, message)),
          isInactive: problems.some(({ field }) => field === "status"),
          unit: unit?.name ?? null,
        })),
      };
    },
  }),

  start: change({
    privilege: "create_users",
    admitsUnitRoles: true,
    bodyLimit: "sending",
    body: List,
    handle: async ({ ctx, signedIn, body: { lines, createUnits: createsUnits } }) => ({
      id: await startMailboxImport(ctx, signedIn, { lines, createsUnits }),
    }),
  }),

  list: read({
    privilege: "create_users",
    admitsUnitRoles: true,
    handle: async ({ ctx, signedIn }) => ({
      data: (await listMailboxImports(ctx, signedIn)).map(shownImport),
    }),
  }),

  get: read({
    privilege: "create_users",
    admitsUnitRoles: true,
    params: ImportPath,
    handle: async ({ ctx, signedIn, params: { id } }) =>
      shownImport(await getMailboxImport(ctx, signedIn, id)),
  }),

  stop: change({
    privilege: "create_users",
    admitsUnitRoles: true,
    params: ImportPath,
    async handle({ ctx, signedIn, params: { id } }) {
      await stopMailboxImport(ctx, signedIn, id);
      return { id };
    },
  }),

  resume: change({
    privilege: "create_users",
    admitsUnitRoles: true,
    params: ImportPath,
    async handle({ ctx, signedIn, params: { id } }) {
      await resumeMailboxImport(ctx, signedIn, id);
      return { id };
    },
  }),

  /** Only for the admin who started the import. */
  readPasswords: read({
    privilege: "create_users",
    admitsUnitRoles: true,
    params: ImportPath,
    handle: async ({ ctx, signedIn, params: { id } }) => ({
      data: await readImportPasswords(ctx, signedIn, id),
    }),
  }),

  erasePasswords: change({
    privilege: "create_users",
    admitsUnitRoles: true,
    bodyLimit: "sending",
    params: ImportPath,
    body: z.object({ addresses: z.array(Text).max(LINES_MAX) }),
    async handle({ ctx, signedIn, params: { id }, body: { addresses } }) {
      await eraseImportPasswords(ctx, signedIn, id, addresses);
      return { id };
    },
  }),
});

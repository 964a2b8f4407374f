import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ShownImport } from "#server/core/mailboxes/imports/imports.ts";

export const ImportState = z.enum(["queued", "running", "done", "failed", "canceled"]);

export const ImportRow = z.object({
  id: z.string(),
  mailbox: z.string(),
  host: z.string(),
  account: z.string(),
  secret_kind: z.enum(["password", "oauth"]),
  has_secret: z.boolean().describe("Whether new mail can be imported without entering it again"),
  state: ImportState,
  problem: z.string().nullable().describe("Why it failed, or why it is delayed"),
  messages_total: z.int(),
  messages_done: z.int().describe("Checked in the current or last pass"),
  messages_imported: z.int().describe("In all passes"),
  bytes_imported: z.int(),
  errors: z.int().describe("Messages that couldn't be imported"),
  seconds_left: z.int().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});

export const ImportPath = z.object({ id: z.string() });

export const importRow = (row: ShownImport): z.input<typeof ImportRow> => ({
  ...{ id: row.id, mailbox: row.mailbox, host: row.host, account: row.account },
  ...{ secret_kind: row.secretKind, has_secret: row.hasSecret },
  ...{ state: row.state, problem: row.problem },
  ...{ messages_total: row.messagesTotal, messages_done: row.messagesDone },
  ...{ messages_imported: row.messagesImported, bytes_imported: row.bytesImported },
  ...{ errors: row.errors, seconds_left: row.secondsLeft },
  created_at: consoleTimestamp(row.createdAt),
  finished_at: row.finishedAt && consoleTimestamp(row.finishedAt),
});

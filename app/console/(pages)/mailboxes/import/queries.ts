import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { formatCount } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { NumberedLine } from "./parse-list.ts";

const RUNNING_MS = 1_000;

// Counts the lines of all imports.
const LIST_RUNNING_MS = 4_000;

export type Checked = AnswerOf<"mailboxImports.check">;
export type CheckedLine = Checked["lines"][number];

export type ListToImport = { lines: NumberedLine[]; createUnits: boolean };

/** Validates the lines on the server; creates nothing. */
export const checkLines = (body: ListToImport) => change("mailboxImports.check", { body });

export type MailboxImportRow = AnswerOf<"mailboxImports.list">["data"][number];

const isRunning = ({ state }: Pick<MailboxImportRow, "state">) => state === "running";

export const mailboxImportsQuery = queryOf(
  "mailboxImports.list",
  {},
  {
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(isRunning) === true && LIST_RUNNING_MS,
  },
);

export const mailboxImportQuery = (id: string) =>
  queryOf(
    "mailboxImports.get",
    { params: { id } },
    {
      refetchInterval: ({ state: { data } }) => data !== undefined && isRunning(data) && RUNNING_MS,
    },
  );

export function importState(row: MailboxImportRow): { tone: StatusTone; label: string } {
  if (row.state === "running")
    return row.problem === null
      ? { tone: "info", label: "Importing" }
      : { tone: "waiting", label: "Retrying" };
  if (row.state === "stopped") return { tone: "none", label: "Stopped" };
  return row.failed > 0
    ? { tone: "waiting", label: "Done, with errors" }
    : { tone: "done", label: "Done" };
}

/** "120 of 2,000 lines". */
export function importedLines({ total, skipped, waiting }: MailboxImportRow): string {
  const all = total - skipped;
  return `${formatCount(all - waiting)} of ${formatCount(all)} ${all === 1 ? "line" : "lines"}`;
}

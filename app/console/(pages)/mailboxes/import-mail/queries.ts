import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { formatCount, formatDuration } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

/** While imports run, and otherwise. */
const RUNNING_MS = 2_000;

const IDLE_MS = 15_000;

export type MailImports = AnswerOf<"mailImports.list">;

export type MailImport = MailImports["data"][number];

export type MailImportDetail = AnswerOf<"mailImports.get">;

/** A server and how to sign in there. */
export type ImportServer = {
  host: string;
  port: number;
  security: "tls" | "starttls" | "none";
  secretKind: MailImport["secretKind"];
};

export type NewImports = ImportServer & {
  keepSecret: boolean;
  accounts: { account: string; secret: string; mailbox: string }[];
};

/** Whether the secret belongs to an app that can open all mailboxes of the company. */
export const isApp = (kind: ImportServer["secretKind"]) =>
  kind === "google" || kind === "microsoft";

export const isActive = ({ state }: Pick<MailImport, "state">) =>
  state === "queued" || state === "running";

export const importsQuery = queryOf(
  "mailImports.list",
  { query: {} },
  { refetchInterval: ({ state: { data } }) => (data?.data.some(isActive) ? RUNNING_MS : IDLE_MS) },
);

export const importQuery = (id: string) =>
  queryOf(
    "mailImports.get",
    { params: { id } },
    { refetchInterval: ({ state: { data } }) => (data && isActive(data) ? RUNNING_MS : IDLE_MS) },
  );

export const startNewImports = (body: NewImports) => change("mailImports.start", { body });

export const checkAccount = (body: ImportServer & { account: string; secret: string }) =>
  change("mailImports.checkSource", { body });

export const cancelMailImport = (id: string) => change("mailImports.cancel", { params: { id } });

export const repeatMailImport = (id: string, secret?: string) =>
  change("mailImports.repeat", {
    params: { id },
    body: secret === undefined ? {} : { secret },
  });

type State = Pick<MailImport, "state" | "problem" | "errors">;

/** The status of an import: one word, and its color. */
export function importStatus({ state, problem, errors }: State): {
  tone: StatusTone;
  label: string;
} {
  switch (state) {
    case "queued":
      return { tone: "waiting", label: problem === null ? "Queued" : "Retrying" };
    case "running":
      return { tone: "info", label: "Importing" };
    case "failed":
      return { tone: "failed", label: "Failed" };
    case "canceled":
      return { tone: "none", label: "Canceled" };
    case "done":
      return errors > 0
        ? { tone: "waiting", label: "Done, with errors" }
        : { tone: "done", label: "Done" };
  }
}

type Progress = Pick<MailImport, "state" | "messagesDone" | "messagesTotal" | "secondsLeft">;

/** "1,200 of 3,000 messages, 4 minutes left". */
export function importProgress(row: Progress): string {
  const { messagesDone: done, messagesTotal: total, secondsLeft: left } = row;
  if (total === 0) return row.state === "done" ? "No messages" : "Not started";
  const counts = `${formatCount(done)} of ${formatCount(total)} messages`;
  return left === null ? counts : `${counts}, ${formatDuration(left)} left`;
}

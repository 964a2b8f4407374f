import { formatCount, formatDuration } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { MailImport } from "./queries.ts";

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

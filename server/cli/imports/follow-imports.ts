import { setTimeout as sleep } from "node:timers/promises";

import { CommandError } from "#server/cli/command-error.ts";
import { terminalText } from "#server/cli/display.mjs";
import { findImports, type ShownImport } from "#server/core/mailboxes/imports/imports.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

const LOOK_EVERY_MS = 1_000;
/** Without a terminal, such as in a log. */
const PRINT_EVERY_MS = 30_000;

/**
 * Prints progress until all imports have ended. The worker runs them, so they continue if this command is interrupted.
 *
 * @throws CommandError if one of them failed
 */
export async function followImports(db: Db, ids: string[]): Promise<void> {
  const said = new Map<string, string>();
  let printedAt = -Infinity;
  for (;;) {
    const imports = await findImports(db, ids);
    for (const one of imports) sayOnce(said, one);
    const waiting = imports.filter(({ state }) => state === "queued" || state === "running");
    const isDue = process.stderr.isTTY || performance.now() - printedAt > PRINT_EVERY_MS;
    if (waiting.length === 0 || isDue) {
      printProgress(imports);
      printedAt = performance.now();
    }
    if (waiting.length === 0) {
      report(imports);
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Prints a problem, or the end of an import, when it is new. */
function sayOnce(said: Map<string, string>, one: ShownImport): void {
  const { id, mailbox, account, state, problem, messagesImported, errors } = one;
  const text = {
    queued: problem && `${problem}. Retrying`,
    running: problem && `${problem}. Retrying`,
    failed: problem,
    canceled: "Canceled",
    done: `${pluralize(messagesImported, "message", "messages")} imported${errors > 0 ? `, ${errors} failed` : ""}`,
  }[state];
  if (!text || said.get(id) === text) return;
  said.set(id, text);
  clearLine();
  console.error(terminalText(`${account} → ${mailbox}: ${text}`));
}

function printProgress(imports: ShownImport[]): void {
  const sum = (field: "messagesDone" | "messagesTotal" | "errors") =>
    imports.reduce((total, one) => total + one[field], 0);
  const left = Math.max(0, ...imports.map(({ secondsLeft }) => secondsLeft ?? 0));
  const isTty = process.stderr.isTTY;
  clearLine();
  process.stderr.write(
    `${sum("messagesDone")} of ${sum("messagesTotal")} messages${left > 0 ? `, ${formatLeft(left)} left` : ""}${isTty ? "" : "\n"}`,
  );
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}

function formatLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

function report(imports: ShownImport[]): void {
  if (process.stderr.isTTY) process.stderr.write("\n");
  const failed = imports.filter(({ state }) => state !== "done");
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} of ${pluralize(imports.length, "import", "imports")} failed. Repeat the command to continue`,
    );
  const errors = imports.reduce((sum, one) => sum + one.errors, 0);
  if (errors > 0)
    throw new CommandError(
      `${pluralize(errors, "message", "messages")} couldn't be imported. The console lists them under Mailboxes, Import mail`,
    );
}

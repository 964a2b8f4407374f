import { ImapSourceError } from "#server/gateways/imap-source.ts";

import { TargetError } from "./accounts.ts";

/** What follows from an error: another attempt, or the end. */
export type Consequence =
  { problem: string; delayMs: number } | { problem: string; erasesSecret: boolean };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Whatever the server asks for. */
const PAUSE_MAX_MS = 24 * 60 * MINUTE_MS;

/** Without any progress; about four hours. */
export const IMPORT_FAILURES_MAX = 20;

/** @param failures earlier attempts in a row that imported nothing */
export function afterError(error: unknown, failures: number): Consequence {
  if (error instanceof TargetError && error.isFull)
    return {
      problem: `${error.message}. Raise the mailbox's storage limit, then import new mail`,
      erasesSecret: false,
    };
  if (!(error instanceof ImapSourceError))
    return orGiveUp(
      error instanceof TargetError
        ? `The mailbox can't be opened: ${error.message}`
        : "Internal error",
      failures,
    );
  const { kind, message, retryAfterMs } = error;
  switch (kind) {
    // A rejected password isn't worth keeping.
    case "rejected":
      return { problem: message, erasesSecret: true };
    case "refused":
      return { problem: message, erasesSecret: false };
    case "throttled":
      return {
        problem: message,
        delayMs: Math.min(
          Math.max(retryAfterMs ?? 0, backoff(failures, MINUTE_MS, 60 * MINUTE_MS)),
          PAUSE_MAX_MS,
        ),
      };
    default:
      return orGiveUp(message, failures);
  }
}

function orGiveUp(problem: string, failures: number): Consequence {
  if (failures >= IMPORT_FAILURES_MAX) return { problem, erasesSecret: false };
  return { problem, delayMs: backoff(failures, 10 * SECOND_MS, 15 * MINUTE_MS) };
}

const backoff = (failures: number, firstMs: number, maxMs: number) =>
  Math.min(firstMs * 2 ** failures, maxMs);

import { programFile } from "#server/processes/program-file.ts";

import { ParserThread } from "#server/core/shared/parser-thread.ts";
import type { SystemMail } from "./read-incoming.ts";

const thread = new ParserThread<SystemMail>(
  programFile("server/core/mail/incoming/internal/reader-worker.ts"),
  {
    // The largest legitimate report takes a second of one core.
    timeoutMs: 30_000,
    onExceeded: () => ({ kind: "nothing", why: "Parsing it takes too much time or memory" }),
  },
);

/**
 * Runs `readIncoming` in a thread with limits on time and memory; a message that exceeds them counts as empty. Urgent
 * messages go first, so that flooding a public address doesn't delay those to addresses that can't be guessed.
 *
 * @throws Error if the thread can't be started
 */
export const readInThread = (
  message: Buffer,
  options?: { isUrgent?: boolean },
): Promise<SystemMail> => thread.parse(message, options);

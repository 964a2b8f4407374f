import { ParserThread } from "#server/core/shared/parser-thread.ts";
import { programFile } from "#server/processes/program-file.ts";

import { parseShownContent, type ShownContent } from "./internal/read-content.ts";
import { SubmissionError } from "./submitter.ts";

export { type ShownContent, SHOWN_CHARS_MAX } from "./internal/read-content.ts";

/** Larger messages could block the event loop for more than some milliseconds. */
const THREAD_BYTES_MIN = 64 * 1024;

const threads = new ParserThread<ShownContent | null>(
  programFile("server/core/mail/submission/internal/content-worker.ts"),
  // The largest hostile message takes some five seconds.
  { timeoutMs: 30_000, onExceeded: () => null, threads: 2 },
);

/**
 * Reads what the API shows of a submitted message; a large one in a thread, with limits on time and memory.
 *
 * @throws SubmissionError if it exceeds them
 */
export async function readShownContent(message: Buffer): Promise<ShownContent> {
  if (message.length <= THREAD_BYTES_MIN) return parseShownContent(message);
  const content = await threads.parse(message);
  if (content) return content;
  throw new SubmissionError("4.3.0", "Reading the message took too much time or memory");
}

import { ParserThread } from "#server/core/mail/incoming/parser-thread.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { programFile } from "#server/processes/program-file.ts";

import type { ParsedBody } from "./body-worker.ts";
import { parseBytes } from "./parse-bytes.ts";

/** Larger bodies would block the event loop for milliseconds. */
const THREAD_BYTES_MIN = 256 * 1024;

const thread = new ParserThread<ParsedBody>(programFile("server/http/body-worker.ts"), {
  timeoutMs: 20_000,
  onExceeded: () => ({ problem: "The body takes too much time or memory to parse" }),
});

/**
 * Parses a body as JSON, like `parseBytes`. In a large body, the `content` and `data` of files given as lists of bytes are
 * Uint8Arrays.
 *
 * @throws Refusal like `parseBytes`, and if parsing takes too much time or memory
 */
export async function parseBody(bytes: Buffer): Promise<unknown> {
  if (bytes.length <= THREAD_BYTES_MIN) return parseBytes(bytes);
  const parsed = await thread.parse(bytes);
  if ("problem" in parsed) throw new Refusal("invalid", parsed.problem);
  return parsed.value;
}

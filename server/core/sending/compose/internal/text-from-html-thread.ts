import { ParserThread } from "#server/core/shared/parser-thread.ts";
import { programFile } from "#server/processes/program-file.ts";

const thread = new ParserThread<string | null>(
  programFile("server/core/sending/compose/internal/text-from-html-worker.ts"),
  { timeoutMs: 60_000, onExceeded: () => null },
);

/**
 * Runs `textFromHtml` in a thread, for documents that would block the event loop.
 *
 * @throws Error if it takes too much time or memory
 */
export async function textFromHtmlInThread(html: string): Promise<string> {
  const text = await thread.parse(Buffer.from(html));
  if (text === null) throw new Error("Converting HTML to text took too much time or memory");
  return text;
}

import { parentPort } from "node:worker_threads";

import type { ParserTask } from "#server/core/mail/incoming/parser-thread.ts";
import { parseContent } from "./parse-content.ts";

parentPort!.on("message", ({ message }: ParserTask) => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  parentPort!.postMessage(parseContent(bytes));
});

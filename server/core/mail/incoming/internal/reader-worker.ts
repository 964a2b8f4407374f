import { parentPort } from "node:worker_threads";

import type { ParserTask } from "#server/core/mail/incoming/parser-thread.ts";
import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";

parentPort!.on("message", ({ message }: ParserTask) => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  void readIncoming(bytes).then((reading) => parentPort!.postMessage(reading));
});

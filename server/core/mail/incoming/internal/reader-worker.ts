import { parentPort } from "node:worker_threads";

import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";

parentPort!.on("message", (message: Uint8Array) => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  void readIncoming(bytes).then((reading) => parentPort!.postMessage(reading));
});

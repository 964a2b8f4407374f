import { parentPort } from "node:worker_threads";

import { parseContent } from "./parse-content.ts";

parentPort!.on("message", (message: Uint8Array) => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  void parseContent(bytes).then((result) => parentPort!.postMessage(result));
});

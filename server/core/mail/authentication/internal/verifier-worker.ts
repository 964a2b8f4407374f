import { parentPort } from "node:worker_threads";

import type { ParserTask } from "#server/core/mail/incoming/parser-thread.ts";

import { verifySignatures } from "./verify-signatures.ts";

type Details = Parameters<typeof verifySignatures>[1];

parentPort!.on("message", ({ message, details }: ParserTask<Details>) => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  void verifySignatures(bytes, details)
    // As if it had taken too long: the sender tries again.
    .catch(() => null)
    .then((result) => parentPort!.postMessage(result));
});

import { parentPort } from "node:worker_threads";

import { textFromHtml } from "./text-from-html.ts";

/** A document to convert, and the reply. */
export type Conversion = { id: number; html: string };
export type Converted = { id: number; text: string };

parentPort!.on("message", ({ id, html }: Conversion) => {
  parentPort!.postMessage({ id, text: textFromHtml(html) } satisfies Converted);
});

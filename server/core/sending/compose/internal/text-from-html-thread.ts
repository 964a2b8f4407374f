import { Worker } from "node:worker_threads";

import { programFile } from "#server/processes/program-file.ts";

import type { Conversion, Converted } from "./text-from-html-worker.ts";

const WORKER = programFile("server/core/sending/compose/internal/text-from-html-worker.ts");
const HEAP_MB_MAX = 512;

type Waiting = {
  html: string;
  resolve: (text: string) => void;
  reject: (error: Error) => void;
};

/** Oldest first: the order in which the thread works. */
const waiting = new Map<number, Waiting>();
let thread: Worker | null = null;
let lastId = 0;

/**
 * Runs `textFromHtml` in a worker thread, for documents that would block the event loop. The thread lives as
 * long as the process but keeps it alive only while a call is pending. If the thread crashes, the oldest call
 * rejects and the others go to a new thread.
 */
export function textFromHtmlInThread(html: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    waiting.set(id, { html, resolve, reject });
    thread ??= startThread();
    post(thread, { id, html });
  });
}

function startThread(): Worker {
  const started = new Worker(WORKER, {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  let cause: unknown;
  started.on("message", ({ id, text }: Converted) => {
    waiting.get(id)?.resolve(text);
    waiting.delete(id);
    if (waiting.size === 0) started.unref();
  });
  started.on("error", (error) => {
    cause = error;
  });
  started.on("exit", () => replace(cause));
  started.unref();
  return started;
}

/** Keep the process alive while a call is pending. */
function post(to: Worker, conversion: Conversion) {
  to.ref();
  to.postMessage(conversion);
}

function replace(cause: unknown) {
  thread = null;
  const [oldest] = waiting;
  if (!oldest) return;
  const [id, { reject }] = oldest;
  waiting.delete(id);
  reject(new Error("The worker thread crashed while converting HTML to text", { cause }));
  if (waiting.size === 0) return;
  thread = startThread();
  for (const [id, { html }] of waiting) post(thread, { id, html });
}

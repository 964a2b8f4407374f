import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { ParserThread } from "./parser-thread.ts";

const script = join(mkdtempSync(join(tmpdir(), "parser-")), "script.mjs");
writeFileSync(
  script,
  `import { parentPort, threadId } from "node:worker_threads";
  parentPort.on("message", ({ message, details }) => {
    const text = Buffer.from(message).toString();
    while (text === "hang");
    if (text === "crash") throw new Error(text);
    parentPort.postMessage({ text, details, threadId });
  });`,
);

type Result = { text: string; details?: string; threadId?: number };
const start = (options: { threads?: number; timeoutMs?: number } = {}) =>
  new ParserThread<Result, string>(script, {
    timeoutMs: 20_000,
    onExceeded: () => ({ text: "exceeded" }),
    ...options,
  });

test("a message that takes too long doesn't hold up the others, nor the event loop", async () => {
  const threads = start({ threads: 2, timeoutMs: 3_000 });
  let isOver = false;
  const stuck = threads.parse(Buffer.from("hang")).finally(() => (isOver = true));
  const others = Array.from({ length: 20 }, (_, at) => threads.parse(Buffer.from(String(at))));
  const results = await Promise.all(others);
  expect(results.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
  expect(new Set(results.map(({ threadId }) => threadId)).size).toBe(1);
  expect(isOver).toBe(false);
  expect(await stuck).toEqual({ text: "exceeded" });
});

test("a new thread takes over, and urgent messages go first", async () => {
  const thread = start({ timeoutMs: 1_000 });
  const order: string[] = [];
  const parse = async (text: string, isUrgent = false) => {
    order.push((await thread.parse(Buffer.from(text), { isUrgent })).text);
  };
  await Promise.all([parse("hang"), parse("a"), parse("crash"), parse("b"), parse("c", true)]);
  expect(order).toEqual(["exceeded", "c", "a", "exceeded", "b"]);
});

test("the caller keeps its message, and the script gets the details", async () => {
  const message = Buffer.from("Hello");
  const result = await start().parse(message, { details: "there" });
  expect(result).toMatchObject({ text: "Hello", details: "there" });
  expect(message.toString()).toBe("Hello");
});

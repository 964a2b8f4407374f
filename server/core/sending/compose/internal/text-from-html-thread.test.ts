import { execFile } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { textFromHtmlInThread } from "./text-from-html-thread.ts";
import { textFromHtml } from "./text-from-html.ts";

const BIG = "<ul><li>a".repeat(200_000);

/** The last thread that was started. */
let thread: Worker | undefined;
const remember = (worker: Worker) => (thread = worker);
beforeAll(() => void process.on("worker", remember));
afterAll(async () => {
  process.off("worker", remember);
  await thread?.terminate();
});

describe("textFromHtmlInThread", () => {
  test("returns textFromHtml's result to each caller", async () => {
    const documents = Array.from({ length: 20 }, (_, i) => `<p>number ${i}</p>`.repeat(i));

    expect(await Promise.all(documents.map(textFromHtmlInThread))).toEqual(
      documents.map(textFromHtml),
    );
  });

  test("does not block the event loop", async () => {
    await textFromHtmlInThread("the thread is there");
    let done = false;
    const text = textFromHtmlInThread(BIG).finally(() => (done = true));

    let turns = 0;
    while (!done) {
      await setImmediate();
      turns++;
    }

    expect(turns).toBeGreaterThan(100);
    expect((await text).length).toBeGreaterThan(1_000_000);
  });

  test("settles every call if the thread crashes: the oldest fails, a new thread finishes the others", async () => {
    await textFromHtmlInThread("the thread is there");
    const calls = [BIG, "<p>second</p>", "<p>third</p>"].map(textFromHtmlInThread);
    const settled = Promise.allSettled(calls);
    await thread?.terminate();

    expect(await settled).toEqual([
      {
        status: "rejected",
        reason: new Error("Converting HTML to text took too much time or memory"),
      },
      { status: "fulfilled", value: "second" },
      { status: "fulfilled", value: "third" },
    ]);
  });

  test("keeps the process alive only while a result is awaited", async () => {
    const module = new URL("./text-from-html-thread.ts", import.meta.url);
    const script = `
      import(${JSON.stringify(module)})
        .then(({ textFromHtmlInThread }) => textFromHtmlInThread("<p>awaited</p>"))
        .then((text) => process.stdout.write(text));`;

    const ended = promisify(execFile)(process.execPath, ["-e", script], { timeout: 60_000 });

    expect((await ended).stdout).toBe("awaited");
  });

  test("starts a new thread if the last one ended while idle", async () => {
    await textFromHtmlInThread("x");
    await thread?.terminate();

    expect(await textFromHtmlInThread("<p>again</p>")).toBe("again");
  });
});

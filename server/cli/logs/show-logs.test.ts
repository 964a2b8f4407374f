import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { emailEvents } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { db } from "#server/db/pool.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";

import { type LogOptions, showLogs } from "./show-logs.ts";

let folder: string;
const dataFolder = config().dataFolder;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-show-logs-"));
  await mkdir(join(folder, "logs"));
  config().dataFolder = folder;
});
afterEach(async () => {
  config().dataFolder = dataFolder;
  await rm(folder, { recursive: true, force: true });
});

const write = (...messages: string[]) =>
  writeFile(
    join(folder, "logs/worker.log"),
    messages.map((msg) => `${JSON.stringify({ level: 30, time: 1, msg })}\n`).join(""),
  );

function show(given: Partial<LogOptions>) {
  const lines: string[] = [];
  const stopping = new AbortController();
  const done = showLogs(
    { follow: false, email: null, processes: null, lines: 100, json: true, ...given },
    { print: (line) => lines.push(line), signal: stopping.signal },
  );
  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  return { done, messages, stop: () => stopping.abort() };
}

test("follows one email: its log lines and its events as they happen", async () => {
  const sender = await aSender();
  const id = await aQueuedEmail(sender, "ann@there.test");
  await write(`could not compose ${id}`, "about another email");
  const shown = show({ email: id, follow: true });
  await vi.waitFor(() => expect(shown.messages()).toEqual([`could not compose ${id}`, "sent"]));
  await db()
    .insert(emailEvents)
    .values({
      ...{
        emailId: id,
        companyId: sender.companyId,
        type: "delivered",
        recipient: "ann@there.test",
      },
    });
  await vi.waitFor(() => expect(shown.messages().at(-1)).toBe("delivered"));
  shown.stop();
  await shown.done;
  expect(shown.messages()).toHaveLength(3);
});

test("shows everything without an email", async () => {
  await write("one", "two");
  const shown = show({});
  await shown.done;
  expect(shown.messages()).toEqual(["one", "two"]);
});

test("explains a wrong ID and a folder without logs", async () => {
  await expect(show({ email: "x" }).done).rejects.toThrow("--email takes the ID of an email");
  await rm(join(folder, "logs"), { recursive: true });
  await expect(show({}).done).rejects.toThrow("There are no logs in");
});

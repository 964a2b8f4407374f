import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { emailEvents } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aQueuedEmail, aSender } from "#server/testing/queued-emails.ts";

import {
  findLogSource,
  formatEntry,
  formatJson,
  type LogOptions,
  type LogSource,
  parseLogLine,
  showLogs,
} from "./show-logs.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-show-logs-"));
  await mkdir(join(folder, "logs"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const line = (msg: string, more = {}) =>
  `${JSON.stringify({ process: "worker", name: "worker", level: 30, time: 1, msg, ...more })}\n`;

const write = (...lines: string[]) =>
  appendFile(join(folder, "logs/posthouse.log"), lines.join(""));

function show(given: Partial<LogOptions>) {
  const lines: string[] = [];
  const stopping = new AbortController();
  const done = showLogs(
    { follow: false, email: null, processes: null, lines: 100, json: true, ...given },
    {
      print: (line) => lines.push(line),
      signal: stopping.signal,
      source: findLogSource(folder, folder),
    },
  );
  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  return { done, messages, stop: () => stopping.abort() };
}

test("shows the newest lines of all processes and the supervisor", async () => {
  await write("✓ web: port 443\n", line("one"), line("two", { process: "mail" }));
  const shown = show({});
  await shown.done;
  expect(shown.messages()).toEqual(["✓ web: port 443", "one", "two"]);
  const newest = show({ lines: 1 });
  await newest.done;
  expect(newest.messages()).toEqual(["two"]);
  const worker = show({ processes: ["worker"] });
  await worker.done;
  expect(worker.messages()).toEqual(["one"]);
});

test("follows added lines, and the new log after a restart", async () => {
  await write(line("old"));
  const shown = show({ follow: true });
  await vi.waitFor(() => expect(shown.messages()).toEqual(["old"]));
  await write(line("new"));
  await vi.waitFor(() => expect(shown.messages()).toEqual(["old", "new"]), 5_000);
  await rename(join(folder, "logs/posthouse.log"), join(folder, "logs/posthouse.log.1"));
  await write(line("after"));
  await vi.waitFor(() => expect(shown.messages().at(-1)).toBe("after"), 5_000);
  shown.stop();
  await shown.done;
});

test("reads the journal if systemd runs the service on this data folder, and says why it can't", async () => {
  for (const name of ["run/systemd/system", "etc/systemd/system"])
    await mkdir(join(folder, name), { recursive: true });
  const unit = join(folder, "etc/systemd/system/posthouse.service");
  await writeFile(unit, `ReadWritePaths=${folder} -/mnt -/media -/srv\n`);
  expect(findLogSource(folder, folder)!.existing).toContain("--unit=posthouse");
  expect(findLogSource(join(folder, "other"), folder)).toBeNull();
  const failing = { existing: ["sh", "-c", "echo no permission >&2; exit 1"], added: ["true"] };
  const done = showLogs(
    { follow: false, email: null, processes: null, lines: 1, json: true },
    {
      print: () => {},
      signal: new AbortController().signal,
      source: failing as unknown as LogSource,
    },
  );
  await expect(done).rejects.toThrow("The log can't be read: no permission");
});

test("follows one email: its log lines and its events as they happen", async () => {
  const sender = await aSender();
  const id = await aQueuedEmail(sender, "ann@there.test");
  await write(line(`could not compose ${id}`), line("about another email"));
  const shown = show({ email: id, follow: true });
  await vi.waitFor(() => expect(shown.messages()).toEqual([`could not compose ${id}`, "sent"]));
  await db().insert(emailEvents).values({
    emailId: id,
    companyId: sender.companyId,
    type: "delivered",
    recipient: "ann@there.test",
  });
  await vi.waitFor(() => expect(shown.messages().at(-1)).toBe("delivered"));
  shown.stop();
  await shown.done;
  expect(shown.messages()).toHaveLength(3);
});

test("explains a wrong ID, and where to look if no service writes a log", async () => {
  await expect(show({ email: "x" }).done).rejects.toThrow("--email takes the ID of an email");
  await expect(show({}).done).rejects.toThrow("docker compose logs posthouse");
});

test("an entry is readable on a terminal, and as it was written as JSON", () => {
  const fields = { level: 50, requestId: "r-1", err: { message: "no such table", stack: "at x" } };
  const text = line("request failed", { time: Date.UTC(2026, 10, 23, 9, 0, 1), ...fields });
  const entry = parseLogLine(text, 0);
  expect(formatEntry(entry)).toMatch(
    /2026-11-2\d \d\d:\d\d:01\.000 worker {5}request failed: no such table requestId=r-1/,
  );
  expect(formatEntry(entry)).not.toContain("at x");
  expect(JSON.parse(formatJson(entry))).toEqual(JSON.parse(text));
});

test("an entry has no control characters on a terminal", () => {
  const fields = { helo: "\u001b]0;title\u0007", err: { message: "one\ntwo\u009b2J" } };
  const shown = formatEntry(parseLogLine(line("a\rb", fields), 0));
  expect(shown).toContain("a b: one two 2J helo= ]0;title ");
});

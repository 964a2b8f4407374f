import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { runDnsHook } from "./dns-hook.ts";

const RECORD = { name: "_acme-challenge.mail.example.test", text: "abc_-123" };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dns-hook-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function aHook(script: string): Promise<string> {
  const file = join(folder, "hook.sh");
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

test("passes the action, the name and the text as arguments", async () => {
  const hook = await aHook(`echo "$#" "$@" >> ${folder}/calls`);
  await runDnsHook(hook, "present", RECORD);
  await runDnsHook(hook, "cleanup", RECORD);
  expect(await readFile(join(folder, "calls"), "utf8")).toBe(
    "3 present _acme-challenge.mail.example.test abc_-123\n" +
      "3 cleanup _acme-challenge.mail.example.test abc_-123\n",
  );
});

test("a failure is reported with the program's last line", async () => {
  const hook = await aHook("echo calling the API >&2; echo The token has expired >&2; exit 3");
  await expect(runDnsHook(hook, "present", RECORD)).rejects.toThrow(
    `${hook} present failed: The token has expired`,
  );
  await expect(runDnsHook("/no/such/hook", "present", RECORD)).rejects.toThrow(/ENOENT/);
});

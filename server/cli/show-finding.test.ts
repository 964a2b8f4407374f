import { PassThrough } from "node:stream";

import { expect, test } from "vitest";

import { failed, ok } from "#server/core/operations/system-checks/finding.ts";

import { Display } from "./display.mjs";
import { showFinding } from "./doctor.ts";

test("commands in findings and failed steps are shown without backticks", async () => {
  let shown = "";
  const stream = new PassThrough().on("data", (chunk: Buffer) => (shown += chunk.toString()));
  const display = new Display(stream as unknown as NodeJS.WriteStream);
  showFinding(display, failed("backup", "No backup", "Run `posthouse backup`"));
  showFinding(display, ok("backup", "Run `posthouse backup` to make one"));
  const failing = display.step("Backup", () => Promise.reject(new Error("run `npm ci`")));
  await expect(failing).rejects.toThrow("npm ci");
  expect(shown).toBe(
    "✗ backup: No backup. Run posthouse backup\n" +
      "✓ backup: Run posthouse backup to make one\n" +
      "✗ Backup: run npm ci\n",
  );
});

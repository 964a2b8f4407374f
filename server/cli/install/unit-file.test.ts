import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect, test } from "vitest";

import { testIf } from "#server/testing/test-if.ts";

import { unitFile } from "./unit-file.ts";

const folder = mkdtempSync(join(tmpdir(), "posthouse-unit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const testWithSystemd = testIf(existsSync("/usr/bin/systemd-analyze"), "needs systemd-analyze");

const unit = (dataFolder = "/var/lib/posthouse") =>
  unitFile({
    node: process.execPath,
    program: folder,
    settings: join(folder, "posthouse.env"),
    dataFolder,
    user: userInfo().username,
  });

testWithSystemd("systemd accepts the unit and rates its exposure as low", async () => {
  const file = join(folder, "posthouse.service");
  writeFileSync(file, unit());
  writeFileSync(join(folder, "posthouse.env"), "");
  expect(await analyze("verify", file)).toBe("");
  const report = await analyze("security", "--offline=true", "--no-pager", file);
  const [, exposure] = /exposure level for posthouse\.service: ([\d.]+)/.exec(report)!;
  expect(Number(exposure)).toBeLessThan(3);
});

test("a data folder under /home stays visible to the service", () => {
  expect(unit()).toContain("\nProtectHome=yes\n");
  expect(unit("/home/mail")).toContain("\nProtectHome=read-only\n");
  expect(unit("/homes/mail")).toContain("\nProtectHome=yes\n");
});

/** Both streams, since warnings are on stderr. */
async function analyze(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("systemd-analyze", args);
  return `${stdout}${stderr}`.trim();
}

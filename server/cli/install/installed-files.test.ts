import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect, test } from "vitest";

import { testIf } from "#server/testing/test-if.ts";

import { commandFile, programIn, unitFile } from "./installed-files.ts";

const folder = mkdtempSync(join(tmpdir(), "posthouse-unit-"));

afterAll(() => rmSync(folder, { recursive: true }));

const testWithSystemd = testIf(existsSync("/usr/bin/systemd-analyze"), "needs systemd-analyze");

const unit = (dataFolder = "/var/lib/posthouse", node = process.execPath) =>
  unitFile({
    node,
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

test("a data folder or a Node.js under /home stays visible to the service", () => {
  const protectHome = (dataFolder: string, node = "/usr/bin/node") =>
    /^ProtectHome=(.*)$/m.exec(unit(dataFolder, node))?.[1];
  expect(protectHome("/var/lib/posthouse")).toBe("yes");
  expect(protectHome("/home/mail")).toBe("read-only");
  expect(protectHome("/homes/mail")).toBe("yes");
  expect(protectHome("/var/lib/posthouse", "/home/ann/.nvm/bin/node")).toBe("read-only");
});

test("the command runs the bundles of the program, with the service's settings", async () => {
  const program = join(import.meta.dirname, "../../..");
  const settings = join(folder, "command.env");
  writeFileSync(settings, "POSTHOUSE_DATA=/nonexistent\n");
  const user = userInfo().username;
  const text = commandFile({ node: process.execPath, program, settings, user });
  expect(programIn(text)).toBe(program);
  const command = join(folder, "posthouse");
  writeFileSync(command, text);
  const { stdout } = await promisify(execFile)("sh", [command, "version"]);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("the program of a command written by an earlier version is found", () => {
  expect(programIn('set -- /usr/bin/node /opt/posthouse/server/cli/posthouse.ts "$@"')).toBe(
    "/opt/posthouse",
  );
});

/** Both streams, since warnings are on stderr. */
async function analyze(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)("systemd-analyze", args);
  return `${stdout}${stderr}`.trim();
}

import { expect, test } from "vitest";

import { config } from "#server/config.ts";

// The imports of this file don't show that it uses processes, so it runs with the fast tests.
const MODULE: string = "node:child_process";
const childProcess = process.getBuiltinModule("node:child_process");

test.each(["exec", "execFile", "fork", "spawn", "execSync", "execFileSync", "spawnSync"] as const)(
  "a fast test that calls %s() fails",
  async (name) => {
    expect(() => childProcess[name]("true")).toThrow(`A fast test called ${name}()`);
    const imported = (await import(MODULE)) as typeof childProcess;
    expect(() => imported[name]("true")).toThrow(`A fast test called ${name}()`);
  },
);

test("a fast test has no database", () => {
  expect(config().databaseUrl).toContain("fast-tests-have-no-database");
});

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { compressStatic } from "./compress-static.mjs";
import { fingerprint } from "./fingerprint.mjs";
import { buildIsFresh } from "./next-build.mjs";
import { packagesAreFresh } from "./npm-packages.mjs";
import { missingPackages } from "./system-packages.mjs";
import { countPlaywright, countVitest } from "./test-reports.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "posthouse-bootstrap-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string, changedAt?: number) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (changedAt) utimesSync(file, changedAt, changedAt);
}

describe("npm packages are installed", () => {
  test("when there are none, and when the lock file has changed since", () => {
    expect(packagesAreFresh(root)).toBe(false);
    write("package-lock.json", "{}", 1_000);
    expect(packagesAreFresh(root)).toBe(false);
    write("node_modules/.package-lock.json", "{}", 2_000);
    expect(packagesAreFresh(root)).toBe(true);
    write("package-lock.json", "{ }", 3_000);
    expect(packagesAreFresh(root)).toBe(false);
  });

  test("not again where they were installed from this very lock file, whatever the clocks say", () => {
    write("package-lock.json", "{}", 3_000);
    write("node_modules/.package-lock.json", "{}", 2_000);
    write("node_modules/.posthouse-packages", fingerprint(root, ["package-lock.json"]));
    expect(packagesAreFresh(root)).toBe(true);
    write("package-lock.json", "{ }", 3_000);
    expect(packagesAreFresh(root)).toBe(false);
  });
});

describe("the web pages are built", () => {
  const stamp = () =>
    fingerprint(
      root,
      ["app", "next.config.js", "tsconfig.json", "package-lock.json"],
      (path) => !/\.test\.tsx?$/.test(path),
    );

  beforeEach(() => {
    write("app/page.tsx", "export default 1");
    write("app/layout.tsx", "export default 1");
    write(".next/BUILD_ID", "x");
    write(".next/posthouse-build", stamp());
  });

  test("not while no source has changed; tests and what runs on the server are no source", () => {
    expect(buildIsFresh(root)).toBe(true);
    write("app/page.test.ts", "1");
    write("server/core/rule.ts", "1");
    expect(buildIsFresh(root)).toBe(true);
  });

  test.each([
    ["a changed page", () => write("app/page.tsx", "export default 2")],
    ["a new file", () => write("app/sign-in/page.tsx", "")],
    ["a file gone", () => rmSync(join(root, "app/layout.tsx"))],
    ["another configuration", () => write("next.config.js", "export default {}")],
    ["other packages", () => write("package-lock.json", "{}")],
    ["a build that was removed", () => rmSync(join(root, ".next"), { recursive: true })],
    ["a build that was cut short", () => rmSync(join(root, ".next/BUILD_ID"))],
  ])("after %s", (_what, change) => {
    change();
    expect(buildIsFresh(root)).toBe(false);
  });
});

test("scripts and style sheets are compressed beside themselves, in every folder", async () => {
  const text = "const answer = 42;\n".repeat(100);
  for (const path of ["static/a.js", "static/deep/b.css", "static/image.png"]) write(path, text);
  await compressStatic(join(root, "static"));
  const octets = (path: string) => readFileSync(join(root, "static", path));
  for (const path of ["a.js", "deep/b.css"]) {
    expect(octets(path).toString()).toBe(text);
    expect(brotliDecompressSync(octets(`${path}.br`)).toString()).toBe(text);
    expect(gunzipSync(octets(`${path}.gz`)).toString()).toBe(text);
  }
  expect(readdirSync(join(root, "static")).sort()).toEqual([
    ...["a.js", "a.js.br", "a.js.gz", "deep", "image.png"],
  ]);
});

test("only those system packages are installed whose files are missing", () => {
  const packages = { "dovecot-core": "/usr/sbin/dovecot", "dovecot-sieve": "/usr/lib/sieve.so" };
  expect(missingPackages(packages, (file) => file === "/usr/sbin/dovecot")).toEqual([
    "dovecot-sieve",
  ]);
});

describe("the sums of a test run", () => {
  test("count every test once, and a file that does not load as a failure", () => {
    const file = (status: string, ...tests: string[]) => ({
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    });
    const testResults = [
      file("passed", "passed", "passed", "skipped", "todo"),
      file("failed", "passed", "failed"),
      file("failed"),
    ];
    expect(countVitest({ testResults })).toEqual({ passed: 3, failed: 2, skipped: 2 });
  });

  test("count a browser test that passed at its second try as passed", () => {
    const stats = { expected: 4, flaky: 1, unexpected: 2, skipped: 3 };
    expect(countPlaywright({ stats, errors: [] })).toEqual({ passed: 5, failed: 2, skipped: 3 });
    const none = { expected: 0, flaky: 0, unexpected: 0, skipped: 0 };
    expect(countPlaywright({ stats: none, errors: ["no config"] }).failed).toBe(1);
  });
});

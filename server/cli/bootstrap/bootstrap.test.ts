import {
  cpSync,
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

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { bundlesAreFresh } from "./bundle.mjs";
import { run } from "./children.mjs";
import { chooseTests, neededPrograms } from "./choose-tests.mjs";
import { compressStatic } from "./compress-static.mjs";
import { fingerprint, stampOf } from "./fingerprint.mjs";
import { installedCommand } from "./installed-command.mjs";
import { buildIsFresh } from "./next-build.mjs";
import { packagesAreFresh } from "./npm-packages.mjs";
import { inRoot } from "./paths.mjs";
import { runEach } from "./run-tests.mjs";
import { countPlaywright, countRepeated, countVitest, failedFiles } from "./test-reports.mjs";
import { testsByKind } from "./tests-by-kind.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "posthouse-bootstrap-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A module name in a test's source. */
const quoted = (name: string) => JSON.stringify(name);

function write(path: string, text: string, changedAt?: number) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (changedAt) utimesSync(file, changedAt, changedAt);
}

test("npx runs the command in a new clone, before anything is installed", async () => {
  for (const path of ["package.json", "server/cli/posthouse.mjs"])
    write(path, readFileSync(inRoot(path), "utf8"));
  cpSync(inRoot("server/cli/bootstrap"), join(root, "server/cli/bootstrap"), { recursive: true });
  const { output } = await run("npx", ["--yes", "posthouse", "version"], {
    cwd: root,
    env: { ...process.env, npm_config_cache: join(root, "cache"), npm_config_offline: "true" },
  });
  expect(output).toContain("posthouse: nothing is installed yet. Run npm start once");
});

test("npx in a clone runs the command of the installed appliance", () => {
  write("bin/posthouse", "#!/bin/sh\n# Written by `posthouse install`.\n");
  const file = join(root, "bin/posthouse");
  const find = (args: string[], env = {}) => installedCommand(args, { file, folder: root, env });
  expect(find(["backup", "--to", "/mnt"])).toBe(file);
  for (const args of [["install"], ["version"], ["--help"], []]) expect(find(args)).toBe(null);
  expect(find(["doctor"], { POSTHOUSE_DATA: "/srv" })).toBe(null);
  write("bin/posthouse", "#!/bin/sh\n");
  expect(find(["doctor"])).toBe(null);
  write("bin/posthouse", "# Written by `posthouse install`.");
  write("data/posthouse.pid", "");
  expect(find(["doctor"])).toBe(null);
});

test("bundles are stale once a source is changed, added or deleted, but not a test", () => {
  const stamp = (text: string) => write("dist/sources", text);
  expect(bundlesAreFresh(root)).toBe(false);
  write("dist/server/main.js", "");
  // In an image.
  expect(bundlesAreFresh(root)).toBe(true);
  write("server/main.ts", "1", 1_000);
  stamp(stampOf(root, [join(root, "server/main.ts")]));
  write("server/main.test.ts", "");
  expect(bundlesAreFresh(root)).toBe(true);
  write("server/main.ts", "1", 2_000);
  expect(bundlesAreFresh(root)).toBe(false);
  stamp(stampOf(root, [join(root, "server/main.ts")]));
  write("worker/main.ts", "");
  expect(bundlesAreFresh(root)).toBe(false);
  rmSync(join(root, "worker/main.ts"));
  expect(bundlesAreFresh(root)).toBe(true);
});

describe("npm packages", () => {
  test("can be installed by Debian's npm 9, which rejects optional peers in another version", () => {
    const lock = JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")) as {
      packages: Record<string, { version?: string }>;
    };
    const found = Object.entries(lock.packages).filter(([path]) => path.endsWith("/esbuild"));
    // vite has it as an optional peer, and others need older ones: see overrides in package.json.
    expect(found.map(([path]) => path)).toEqual(["node_modules/esbuild"]);
  });

  test("are installed if missing, and again when the lock file has changed", () => {
    expect(packagesAreFresh(root)).toBe(false);
    write("package-lock.json", "{}", 1_000);
    expect(packagesAreFresh(root)).toBe(false);
    write("node_modules/.package-lock.json", "{}", 2_000);
    expect(packagesAreFresh(root)).toBe(true);
    write("package-lock.json", "{ }", 3_000);
    expect(packagesAreFresh(root)).toBe(false);
  });

  test("aren't reinstalled for an unchanged lock file, whatever its timestamp", () => {
    write("package-lock.json", "{}", 3_000);
    write("node_modules/.package-lock.json", "{}", 2_000);
    write("node_modules/.posthouse-packages", fingerprint(root, ["package-lock.json"]));
    expect(packagesAreFresh(root)).toBe(true);
    write("package-lock.json", "{ }", 3_000);
    expect(packagesAreFresh(root)).toBe(false);
  });
});

describe("the web pages", () => {
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

  test("aren't rebuilt while no source has changed; tests and server code don't count", () => {
    expect(buildIsFresh(root)).toBe(true);
    write("app/page.test.ts", "1");
    write("server/core/rule.ts", "1");
    expect(buildIsFresh(root)).toBe(true);
  });

  test.each([
    ["a changed page", () => write("app/page.tsx", "export default 2")],
    ["a new file", () => write("app/sign-in/page.tsx", "")],
    ["a deleted file", () => rmSync(join(root, "app/layout.tsx"))],
    ["a changed configuration", () => write("next.config.js", "export default {}")],
    ["changed packages", () => write("package-lock.json", "{}")],
    ["a deleted build", () => rmSync(join(root, ".next"), { recursive: true })],
    ["an interrupted build", () => rmSync(join(root, ".next/BUILD_ID"))],
  ])("are rebuilt after %s", (_what, change) => {
    change();
    expect(buildIsFresh(root)).toBe(false);
  });
});

test("writes compressed copies of scripts and style sheets in every folder", async () => {
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
    "a.js",
    "a.js.br",
    "a.js.gz",
    "deep",
    "image.png",
  ]);
});

describe("the report of a test run", () => {
  test("counts every test once and an unloadable file as a failure, and names the failures", () => {
    const file = (name: string, status: string, ...tests: string[]) => ({
      name,
      status,
      message: "not found",
      assertionResults: tests.map((each) => ({
        status: each,
        fullName: `it ${each}`,
        failureMessages: each === "failed" ? ["wrong\nat b.test.ts:1"] : [],
      })),
    });
    const testResults = [
      file("a.test.ts", "passed", "passed", "passed", "skipped", "todo"),
      file("b.test.ts", "failed", "passed", "failed"),
      file("c.test.ts", "failed"),
    ];
    expect(countVitest({ testResults })).toEqual({
      passed: 3,
      failed: 2,
      skipped: 2,
      failures: [
        "b.test.ts › it failed\n    wrong\n    at b.test.ts:1",
        "c.test.ts\n    not found",
      ],
      skips: ["a.test.ts › it skipped", "a.test.ts › it todo"],
    });
    expect(failedFiles({ testResults })).toEqual(["b.test.ts", "c.test.ts"]);
  });

  test("counts repeated files as they ended the second time", () => {
    const file = (name: string, tests: Record<string, string>, reason = "slow") => ({
      name,
      status: Object.values(tests).includes("passed") ? "passed" : "failed",
      message: reason,
      assertionResults: Object.entries(tests).map(([fullName, status]) => ({
        status,
        fullName,
        failureMessages: status === "failed" ? [reason] : [],
      })),
    });
    const first = {
      testResults: [
        file("a", { one: "passed", two: "skipped" }),
        file("b", { one: "skipped" }),
        file("c", { one: "failed" }, "wrong"),
      ],
    };
    const second = {
      testResults: [file("b", { one: "passed" }), file("c", { one: "failed" }, "still wrong")],
    };
    expect(countRepeated(first, second)).toEqual({
      passed: 2,
      failed: 1,
      skipped: 1,
      failures: ["c › one\n    still wrong"],
      skips: ["a › two"],
      repeated: ["b\n    slow"],
    });
  });

  test("counts a browser test that passed on retry as passed", () => {
    const stats = { expected: 4, flaky: 1, unexpected: 2, skipped: 3 };
    const spec = (title: string, ok: boolean) => ({ title, ok, file: "a.spec.ts", line: 7 });
    const suites = [
      {
        title: "a.spec.ts",
        file: "a.spec.ts",
        specs: [spec("works", true), spec("breaks", false)],
        suites: [{ title: "a group", file: "a.spec.ts", specs: [spec("breaks too", false)] }],
      },
    ];
    expect(countPlaywright({ stats, suites, errors: [] })).toEqual({
      passed: 5,
      failed: 2,
      skipped: 3,
      failures: ["e2e/a.spec.ts:7 › breaks", "e2e/a.spec.ts:7 › a group › breaks too"],
    });
    const none = { expected: 0, flaky: 0, unexpected: 0, skipped: 0 };
    const errors = [{ message: "no config" }];
    expect(countPlaywright({ stats: none, suites: [], errors })).toMatchObject({
      failed: 1,
      failures: ["no config"],
    });
  });
});

describe("the arguments of npm test", () => {
  beforeEach(() => {
    write("server/config.test.ts", `import { config } from ${quoted("./config.ts")};`);
    write("server/config.ts", "export const config = 1;");
    write("mail/mx/listener.test.ts", 'import postgres from "postgres";');
    write("app/(pages)/page.test.tsx", "");
    write("docs/tour.md", "");
    write("e2e/shell.spec.ts", "");
    write("e2e/person.ts", "");
  });
  const choose = (...args: string[]) => chooseTests(args, root);

  test("runs everything without arguments, and the listed checks with --only", () => {
    expect(choose()).toMatchObject({ only: null, unit: [], e2e: [] });
    expect(choose("--only", "lint,fast")).toMatchObject({ only: ["lint", "fast"] });
    expect(() => choose("--only", "lint,cook")).toThrow("--only takes a list of format,");
    expect(() => choose("--watch")).toThrow("Unknown option --watch");
  });

  test("runs paths with vitest, and browser tests with Playwright on a fresh build", () => {
    expect(choose("./server/config.test.ts", join(root, "mail/mx/"))).toEqual({
      only: ["unit"],
      unit: ["server/config.test.ts", "mail/mx"],
      e2e: [],
      dovecot24: [],
    });
    expect(choose("e2e/shell.spec.ts:12")).toMatchObject({
      only: ["build", "e2e"],
      unit: [],
      e2e: ["e2e/shell.spec.ts:12"],
    });
    expect(choose("app", "e2e")).toMatchObject({
      only: ["unit", "build", "e2e"],
      unit: ["app"],
      e2e: ["e2e"],
    });
  });

  test.each([
    ["server/nope.test.ts", "server/nope.test.ts doesn't exist"],
    ["server/config.ts", "server/config.ts isn't a test"],
    ["e2e/person.ts", "e2e/person.ts isn't a test"],
    ["docs", "docs contains no tests"],
    ["../elsewhere", "../elsewhere doesn't exist"],
  ])("rejects %s, which names no test", (path, error) => {
    expect(() => choose("app", path)).toThrow(error);
  });

  test("runs the tests that use Dovecot, or the listed ones, with Dovecot 2.4", () => {
    write("server/gateways/find-dovecot.mjs", "");
    write("server/testing/start-appliance.ts", "");
    write("server/testing/a-calendar-server.ts", "");
    write("server/web/calendar.test.ts", 'import "#server/testing/a-calendar-server.ts";');
    write("server/testing/a-dovecot.ts", 'import "#server/gateways/find-dovecot.mjs";');
    write("server/cli/dovecot-versions.test.ts", 'import "#server/gateways/find-dovecot.mjs";');
    write("mail/sign-in.test.ts", 'import "#server/testing/a-dovecot.ts";');
    write("server/start.test.ts", 'import "#server/testing/start-appliance.ts";');
    write("server/testing/mail-app.ts", "");
    write("server/resources/groups.test.ts", 'import "#server/testing/a-dovecot.ts";');
    const both = 'import "#server/testing/a-dovecot.ts";\nimport "#server/testing/mail-app.ts";';
    write("server/resources/sessions.test.ts", both);
    const quick = ["mail/sign-in.test.ts", "server/resources/sessions.test.ts"];
    expect(choose("--dovecot", "2.4")).toMatchObject({
      unit: ["server/cli/dovecot-versions.test.ts"],
      dovecot24: [quick[0], "server/resources/groups.test.ts", quick[1], "server/start.test.ts"],
    });
    expect(choose("--dovecot", "2.4", "mail/mx")).toMatchObject({
      unit: [],
      dovecot24: ["mail/mx"],
    });
    expect(() => choose("--dovecot", "2.2")).toThrow("--dovecot takes 2.4");
    const user = vi.spyOn(process, "getuid").mockReturnValue(0);
    for (const args of [[], ["--only", "lint,dovecot-2.4"]])
      expect(choose(...args).dovecot24).toEqual([...quick, "server/web/calendar.test.ts"]);
    expect(choose("--only", "lint").dovecot24).toEqual([]);
    user.mockReturnValue(1000);
    expect(choose().dovecot24).toEqual([]);
    user.mockRestore();
  });

  test("installs programs only for the tests that need them", () => {
    const needed = (...args: string[]) => neededPrograms(choose(...args), root);
    expect(needed()).toEqual({ mail: true, browser: true });
    expect(needed("--only", "format,lint,build,fast")).toEqual({
      mail: false,
      browser: false,
    });
    expect(needed("--only", "unit")).toEqual({ mail: true, browser: false });
    expect(needed("server", "app/(pages)/page.test.tsx:3")).toEqual({
      mail: false,
      browser: false,
    });
    expect(needed("server", "mail/mx")).toEqual({ mail: true, browser: false });
    expect(needed("e2e")).toEqual({ mail: true, browser: true });
  });
});

describe("the kind of a test", () => {
  const SPAWN = 'import { spawn } from "node:child_process";\n';
  const files = (given: Record<string, string>) => {
    for (const [path, text] of Object.entries(given)) write(path, text);
  };

  test.each([
    ["its own import", { "worker/a.test.ts": SPAWN }],
    ["a helper", { "worker/a.test.ts": `import ${quoted("./b.ts")};`, "worker/b.ts": SPAWN }],
    [
      "a helper's helper, imported over several lines",
      {
        "worker/a.test.ts": `import {\n  type A,\n  b,\n} from ${quoted("#server/b.ts")};`,
        "server/b.ts": `export * from ${quoted("#mail/c.mjs")};`,
        "mail/c.mjs": SPAWN,
      },
    ],
    [
      "a dynamic import",
      { "worker/a.test.ts": `  await import(${quoted("./b.ts")});`, "worker/b.ts": SPAWN },
    ],
    [
      "modules that import each other",
      {
        "worker/a.test.ts": `import ${quoted("./b.ts")};`,
        "worker/b.ts": `import ${quoted("./c.ts")};`,
        "worker/c.ts": `import ${quoted("./b.ts")};\n${SPAWN}`,
      },
    ],
  ])("is process if it reaches child processes by %s", (_what, given) => {
    files(given);
    write("worker/fast.test.ts", 'import { test } from "vitest";');
    expect(testsByKind(root)).toEqual({
      process: ["worker/a.test.ts"],
      database: [],
      fast: ["worker/fast.test.ts"],
    });
  });

  test("is database if it reaches only the driver", () => {
    files({
      "app/a.test.tsx": `import ${quoted("#server/db.ts")};`,
      "server/db.ts": 'import "postgres";',
    });
    expect(testsByKind(root)).toMatchObject({ database: ["app/a.test.tsx"], process: [] });
  });

  test("is fast if it imports only types and style sheets from there", () => {
    files({
      "worker/a.test.ts": `import type { B } from ${quoted("./b.ts")};\nimport ${quoted("./c.css")};`,
    });
    files({ "worker/b.ts": SPAWN, "worker/c.css": SPAWN });
    expect(testsByKind(root)).toMatchObject({ fast: ["worker/a.test.ts"], process: [] });
  });
});

test("runs jobs in order, a limited number at a time", async () => {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const done = runEach(["a", "b", "c"], 2, async (job) => {
    log.push(job);
    await new Promise<void>((end) => ends.set(job, end));
  });
  expect(log).toEqual(["a", "b"]);
  ends.get("b")!();
  await vi.waitFor(() => expect(log).toEqual(["a", "b", "c"]));
  ends.get("a")!();
  ends.get("c")!();
  await done;
});

test("passes on a running command's output line by line, without splitting characters", async () => {
  const seen: { line: string; at: number }[] = [];
  const script = `process.stdout.write("first ä\\nsec");
    setTimeout(() => process.stderr.write("warning\\n"), 300);
    setTimeout(() => console.log("ond"), 600)`;
  const onLine = (line: string) => void seen.push({ line, at: performance.now() });
  const { code, output } = await run(process.execPath, ["-e", script], { onLine });
  expect({ code, output }).toEqual({ code: 0, output: "" });
  expect(seen.map(({ line }) => line)).toEqual(["first ä", "warning", "second"]);
  expect(seen.at(-1)!.at - seen[0]!.at).toBeGreaterThan(300);
});

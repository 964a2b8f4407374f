import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ensureBundles } from "./bundle.mjs";
import { atExit, CommandFailed, run } from "./children.mjs";
import { inDebian13 } from "./debian-13.mjs";
import { ensureBuild } from "./next-build.mjs";
import { inRoot, nodeToUse, ROOT } from "./paths.mjs";
import { countPlaywright, countRepeated, countVitest, failedFiles } from "./test-reports.mjs";

/** @typedef {import("./test-reports.mjs").Counts} Counts */
/** @typedef {import("./choose-tests.mjs").Choice} Choice */
/** @typedef {{ name: string, title: string, work: () => Promise<Counts> }} Job */
/** @typedef {(line: string) => void} Show */

/** More failed files than these have another cause than a busy machine. */
const REPEATED_MAX = 5;

/** @type {Counts} */
const PASSED = { passed: 1, failed: 0, skipped: 0, failures: [] };

/**
 * Runs every check and test, continuing after failures. Ends with lists of skipped tests and failures and the totals, in
 * which a check counts as one test.
 *
 * @param {Choice} choice
 * @param {import("../display.mjs").Display} display
 * @param {string | null} without24 why the tests with Dovecot 2.4 can't run
 * @returns {Promise<number>} 1 when anything failed
 */
export async function runTests(choice, display, without24 = null) {
  const reports = mkdtempSync(join(tmpdir(), "posthouse-reports-"));
  atExit.add(() => rmSync(reports, { recursive: true, force: true }));
  process.env.NODE_COMPILE_CACHE ??= aCodeCache(reports);
  /** @type {Counts} */
  const sum = { passed: 0, failed: 0, skipped: 0, failures: [] };
  /** @type {string[]} */
  const skips = [];
  /** @type {string[]} */
  const repeated = [];

  const isChosen = (/** @type {Job} */ { name }) =>
    choice.only === null || choice.only.includes(name);
  const runJob = async (/** @type {Job} */ { title, work }) => {
    const counts = await report(display, title, work);
    for (const key of /** @type {const} */ (["passed", "failed", "skipped"]))
      sum[key] += counts[key];
    sum.failures.push(...counts.failures);
    skips.push(...(counts.skips ?? []));
    repeated.push(...(counts.repeated ?? []));
  };
  await runEach(checks.filter(isChosen), 2, runJob);
  const show = (/** @type {string} */ line) => display.line(line);
  // Each of these uses every core.
  await runEach(suites(reports, choice, show, without24).filter(isChosen), 1, runJob);
  if (skips.length > 0) display.line("\nSkipped:");
  for (const skip of skips) display.warning(skip.replace(`${ROOT}/`, ""));
  if (repeated.length > 0) display.line("\nFailed first, passed when repeated alone:");
  for (const test of repeated) display.warning(test.replaceAll(`${ROOT}/`, ""));
  if (sum.failures.length > 0) display.line("\nFailed:");
  for (const failure of sum.failures) display.failure(failure.replaceAll(`${ROOT}/`, ""));
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  return sum.failed > 0 ? 1 : 0;
}

/**
 * A folder for the compiled code that all processes of the run share: the tests start hundreds of them. Each user has a
 * folder of its own in it.
 *
 * @param {string} reports
 */
function aCodeCache(reports) {
  const folder = join(reports, "code");
  mkdirSync(folder);
  chmodSync(reports, 0o755);
  chmodSync(folder, 0o1777);
  return folder;
}

/**
 * The checks that run beside each other: the longest first, then the quickest.
 *
 * @type {Job[]}
 */
const checks = [
  {
    name: "lint",
    title: "Types, lint and layers (oxlint)",
    work: check(inRoot("server/cli/bootstrap/lint.mjs"), []),
  },
  {
    name: "format",
    title: "Format (prettier)",
    work: check(bin("prettier"), ["--check", ".", ...cachedAs("prettier.json")]),
  },
  {
    name: "spelling",
    title: "Spelling (cspell)",
    work: check(bin("cspell"), ["--no-progress", "--no-summary", ".", ...cachedAs("cspell.json")]),
  },
  { name: "unused", title: "Unused code (knip)", work: check(bin("knip"), []) },
  { name: "structure", title: "Structure (files, names and imports)", work: structure },
  { name: "build", title: "Web pages (next build) and programs (esbuild)", work: build },
];

/**
 * @param {string} reports folder for the test runners' own reports
 * @param {Choice} choice
 * @param {Show} show receives the test runners' output as it arrives
 * @param {string | null} without24
 * @returns {Job[]}
 */
function suites(reports, { only, unit, e2e, dovecot24 }, show, without24) {
  const fast = {
    name: "fast",
    title: "Fast tests (vitest)",
    work: () => vitest(reports, ["--project", "fast"], show),
  };
  const with24 = {
    name: "dovecot-2.4",
    title: "Tests with Dovecot 2.4 (vitest in Debian 13)",
    work: async () =>
      without24 === null
        ? vitest(reports, dovecot24, show, inDebian13([]))
        : { ...PASSED, passed: 0, skipped: 1, skips: [`Tests with Dovecot 2.4: ${without24}`] },
  };
  return [
    // The other tests include them.
    ...(only?.includes("unit") === false ? [fast] : []),
    { name: "unit", title: "Tests (vitest)", work: () => vitest(reports, unit, show) },
    {
      name: "e2e",
      title: "Browser tests (playwright)",
      work: () => playwright(reports, e2e, show),
    },
    ...(dovecot24.length > 0 ? [with24] : []),
  ];
}

/**
 * Runs the jobs in their order, a limited number at a time.
 *
 * @template Item
 * @param {Item[]} items
 * @param {number} limit
 * @param {(item: Item) => Promise<void>} work
 */
export async function runEach(items, limit, work) {
  const waiting = [...items];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}

/**
 * @param {import("../display.mjs").Display} display
 * @param {string} title
 * @param {() => Promise<Counts>} work
 * @returns {Promise<Counts>}
 */
async function report(display, title, work) {
  /** @type {Counts} */
  let counts = { passed: 0, failed: 1, skipped: 0, failures: [title] };
  try {
    await display.step(title, async () => {
      const done = await work();
      counts = done;
      if (done.failed > 0) throw new Error(`${done.failed} failed`);
      const tests = done.passed + done.skipped;
      return tests > 1 ? `${done.passed} passed, ${done.skipped} skipped` : undefined;
    });
  } catch (error) {
    if (error instanceof CommandFailed) display.line(error.output);
  }
  return counts;
}

/** @param {string} program a file for Node.js @param {string[]} args */
function check(program, args) {
  return async () => {
    const { code, output } = await runNode(program, args);
    if (code !== 0) throw new CommandFailed("failed", output);
    return PASSED;
  };
}

/** Options that make a tool skip files that passed before. @param {string} name of its cache */
function cachedAs(name) {
  const location = inRoot(`node_modules/.cache/${name}`);
  return ["--cache", "--cache-strategy", "content", "--cache-location", location];
}

/** Prints the measurements even if no rule is broken. */
async function structure() {
  const { describeStructure, measureStructure } = await import("./structure.mjs");
  const { table, failures } = describeStructure(measureStructure());
  console.log(table);
  if (failures.length > 0) throw new CommandFailed("failed", failures.join("\n\n"));
  return PASSED;
}

async function build() {
  await ensureBuild();
  await ensureBundles();
  return PASSED;
}

/**
 * Repeats files with failures one by one: beside other tests, a machine can be too slow for them. What passes only then
 * is listed.
 *
 * @param {string} reports
 * @param {string[]} chosen paths, or a project
 * @param {Show} show
 * @param {string[]} launcher runs vitest elsewhere
 */
async function vitest(reports, chosen, show, launcher = []) {
  const run = async (
    /** @type {string} */ file,
    /** @type {string[]} */ args,
    /** @type {(report: unknown) => Counts} */ count,
  ) => {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const vitestArgs = ["run", ...reporters, ...args];
    const { code } = await runNode(bin("vitest"), vitestArgs, { onLine: show, launcher });
    return judge("vitest", code, file, count);
  };
  const folder = mkdtempSync(join(reports, "vitest-"));
  const all = join(folder, "all.json");
  const counts = await run(all, chosen, countVitest);
  if (!existsSync(all)) return counts;
  const first = JSON.parse(readFileSync(all, "utf8"));
  const failed = failedFiles(first);
  if (failed.length === 0 || failed.length > REPEATED_MAX) return counts;
  show("\nRerunning failed files one at a time");
  return run(join(folder, "repeated.json"), [...failed, "--maxWorkers=1"], (second) =>
    countRepeated(first, second),
  );
}

/** @param {string} reports @param {string[]} paths @param {Show} show */
async function playwright(reports, paths, show) {
  const file = join(reports, "playwright.json");
  const args = ["test", "--config", "e2e/playwright.config.ts", "--reporter=list,json"];
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const { code } = await runNode(bin("playwright"), [...args, ...paths], { env, onLine: show });
  return judge("playwright", code, file, countPlaywright);
}

/**
 * @param {string} tool
 * @param {number} code
 * @param {string} file
 * @param {(report: unknown) => Counts} count
 */
function judge(tool, code, file, count) {
  if (!existsSync(file)) throw new Error(`${tool} wrote no report (exit code ${code})`);
  const counts = count(JSON.parse(readFileSync(file, "utf8")));
  // A run can also fail outside of any test.
  if (code === 0 || counts.failed > 0) return counts;
  return { ...counts, failed: 1, failures: [`${tool} failed outside of any test`] };
}

/** @param {string} tool in node_modules/.bin */
function bin(tool) {
  return inRoot(`node_modules/.bin/${tool}`);
}

/**
 * @param {string} program a file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, onLine?: Show, launcher?: string[] }} [options]
 */
function runNode(program, args, { env = {}, onLine, launcher = [] } = {}) {
  const [command = "", ...all] = [...launcher, nodeToUse(), program, ...args];
  return run(command, all, {
    cwd: ROOT,
    env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: undefined, ...env },
    onLine,
  });
}

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { atExit, CommandFailed, run } from "./children.mjs";
import { ensureBuild } from "./next-build.mjs";
import { inRoot, nodeToUse, ROOT } from "./paths.mjs";
import { countPlaywright, countVitest } from "./test-reports.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

const PASSED = { passed: 1, failed: 0, skipped: 0 };
const FAILED = { passed: 0, failed: 1, skipped: 0 };

/**
 * Runs every check and test, the rest too when one fails, and ends with one line of sums: each test
 * counts, and each check as one.
 *
 * @param {string[]} args `--only lint,unit` runs these only
 * @param {import("../display.mjs").Display} display
 * @returns {Promise<number>} 1 when anything failed
 */
export async function runTests(args, display) {
  const only = readOnly(args);
  const reports = mkdtempSync(join(tmpdir(), "posthouse-reports-"));
  atExit.add(() => rmSync(reports, { recursive: true, force: true }));
  /** @type {Counts} */
  const sum = { passed: 0, failed: 0, skipped: 0 };

  for (const stage of stagesOf(reports)) {
    const chosen = stage.filter(({ name }) => !only || only.includes(name));
    await Promise.all(
      chosen.map(async ({ title, work }) => {
        const counts = await report(display, title, work);
        for (const key of /** @type {(keyof Counts)[]} */ (Object.keys(sum)))
          sum[key] += counts[key];
      }),
    );
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  return sum.failed > 0 ? 1 : 0;
}

/** @param {string[]} args */
function readOnly(args) {
  const names = stagesOf("").flatMap((stage) => stage.map(({ name }) => name));
  const at = args.indexOf("--only");
  if (at === -1) return null;
  const only = (args[at + 1] ?? "").split(",");
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`--only takes a list of ${names.join(", ")}`);
  return only;
}

/**
 * The checks, in stages: those of one stage run at the same time.
 *
 * @param {string} reports folder for the test runners' own reports
 * @returns {{ name: string, title: string, work: () => Promise<Counts> }[][]}
 */
function stagesOf(reports) {
  return [
    [
      { name: "format", title: "Format (prettier)", work: check("prettier", ["--check", "."]) },
      { name: "unused", title: "Unused code (knip)", work: check("knip", []) },
      { name: "types", title: "Types (tsc)", work: check("tsc", ["--noEmit"]) },
    ],
    [
      { name: "lint", title: "Lint and layers (eslint)", work: check("eslint", ["."]) },
      { name: "build", title: "Web pages (next build)", work: build },
    ],
    [{ name: "unit", title: "Tests (vitest)", work: () => vitest(reports) }],
    [{ name: "e2e", title: "Browser tests (playwright)", work: () => playwright(reports) }],
  ];
}

/**
 * @param {import("../display.mjs").Display} display
 * @param {string} title
 * @param {() => Promise<Counts>} work
 */
async function report(display, title, work) {
  /** @type {Counts} */
  let counts = FAILED;
  try {
    await display.step(title, async () => {
      counts = await work();
      const tests = counts.passed + counts.skipped;
      return tests > 1 ? `${counts.passed} passed, ${counts.skipped} skipped` : undefined;
    });
  } catch (error) {
    if (error instanceof CommandFailed) display.line(error.output);
    if (error instanceof TestsFailed) counts = error.counts;
  }
  return counts;
}

class TestsFailed extends CommandFailed {
  /** @param {Counts} counts @param {string} output */
  constructor(counts, output) {
    super(`${counts.failed} failed`, "");
    this.counts = counts;
    this.output = output.trim();
  }
}

/** @param {string} tool @param {string[]} args */
function check(tool, args) {
  return async () => {
    const { code, output } = await runTool(tool, args);
    if (code !== 0) throw new TestsFailed(FAILED, output);
    return PASSED;
  };
}

async function build() {
  await ensureBuild();
  return PASSED;
}

/** @param {string} reports */
async function vitest(reports) {
  const file = join(reports, "vitest.json");
  const { code, output } = await runTool("vitest", [
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
  ]);
  return judge(code, output, file, countVitest);
}

/** @param {string} reports */
async function playwright(reports) {
  const specs = existsSync(inRoot("e2e"))
    ? readdirSync(inRoot("e2e"), { recursive: true, encoding: "utf8" })
    : [];
  if (!specs.some((name) => name.endsWith(".spec.ts"))) return { ...PASSED, passed: 0 };
  const file = join(reports, "playwright.json");
  const { code, output } = await runTool(
    "playwright",
    ["test", "--config", "e2e/playwright.config.ts", "--reporter=list,json"],
    { PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  );
  return judge(code, output, file, countPlaywright);
}

/**
 * @param {number} code
 * @param {string} output
 * @param {string} file
 * @param {(report: unknown) => Counts} count
 */
function judge(code, output, file, count) {
  if (!existsSync(file)) throw new TestsFailed(FAILED, output);
  const counts = count(JSON.parse(readFileSync(file, "utf8")));
  // A run can also fail outside of any test.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  if (counts.failed > 0) throw new TestsFailed(counts, output);
  return counts;
}

/**
 * @param {string} tool in node_modules/.bin
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function runTool(tool, args, env = {}) {
  return run(nodeToUse(), [inRoot(`node_modules/.bin/${tool}`), ...args], {
    cwd: ROOT,
    env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1", ...env },
  });
}

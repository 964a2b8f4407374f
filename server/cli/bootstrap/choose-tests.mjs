import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { testFiles, testsByKind, testsReaching } from "./tests-by-kind.mjs";
import { ROOT } from "./paths.mjs";

/**
 * `dovecot24` are the tests that run with Dovecot 2.4 in a system of their own (debian-13.mjs).
 *
 * @typedef {{ only: string[] | null, unit: string[], e2e: string[], dovecot24: string[] }} Choice
 */

/** What tests with a Dovecot of their own reach, and those that connect to it as a mail app. */
const A_DOVECOT = "server/testing/a-dovecot.ts";
const A_MAIL_APP = "server/testing/mail-app.ts";
/** Debian 13 has another Radicale, too. */
const A_CALENDAR_SERVER = "server/testing/a-calendar-server.ts";

/** What all tests that use Dovecot reach: the search for it, and what starts processes that use it. */
const USES_OF_DOVECOT = [
  "server/gateways/find-dovecot.mjs",
  "server/testing/start-appliance.ts",
  "server/testing/mail-hosts.ts",
];

const CHECKS = [
  "format",
  "spelling",
  "unused",
  "structure",
  "lint",
  "build",
  "fast",
  "unit",
  "e2e",
  "dovecot-2.4",
];

/** Runs 2.3 of this system with 2.4 of the other one. */
const BOTH_VERSIONS = "server/cli/dovecot-versions.test.ts";

/**
 * Parses the arguments of `npm test`. Paths below `e2e` run with Playwright, all others with vitest.
 *
 * @param {string[]} args
 * @returns {Choice} `only` is null when everything runs
 * @throws Error for an unknown option, check or test
 */
export function chooseTests(args, root = ROOT) {
  const [first, list = ""] = args;
  const dovecot24 = process.getuid?.() === 0 ? testsOfDovecot(root) : [];
  if (first === undefined) return { only: null, unit: [], e2e: [], dovecot24 };
  if (first === "--only" && args.length <= 2) {
    const only = list.split(",");
    if (only.some((name) => !CHECKS.includes(name)))
      throw new Error(`--only takes a list of ${CHECKS.join(", ")}`);
    return { only, unit: [], e2e: [], dovecot24: only.includes("dovecot-2.4") ? dovecot24 : [] };
  }
  if (first === "--dovecot") return chooseDovecotTests(args.slice(1), root);
  const unknown = args.find((arg) => arg.startsWith("-"));
  if (unknown)
    throw new Error(`Unknown option ${unknown}. Use --only LIST, --dovecot 2.4 or test paths`);
  const paths = args.map((arg) => arg.replace(`${root}/`, "").replace(/^\.\/|\/$/g, ""));
  for (const path of paths) requireTests(path, root);
  const e2e = paths.filter(isBrowserTest);
  const unit = paths.filter((path) => !isBrowserTest(path));
  const only = [...(unit.length > 0 ? ["unit"] : []), ...(e2e.length > 0 ? ["build", "e2e"] : [])];
  return { only, unit, e2e, dovecot24: [] };
}

/**
 * The tests that depend on the version of Dovecot. Tests of endpoints do only if they connect a mail app: what the endpoints
 * ask of Dovecot, the tests of `mail`, `server/core` and `server/gateways` ask too.
 *
 * @param {string} root
 */
function testsOfDovecot(root) {
  const withApps = new Set(testsReaching([A_MAIL_APP], root));
  return testsReaching([A_DOVECOT, A_CALENDAR_SERVER], root).filter(
    (test) => withApps.has(test) || !/^server\/(resources|testing)\//.test(test),
  );
}

/**
 * All tests that use Dovecot, or the listed ones, for 2.4.
 *
 * @param {string[]} args
 * @param {string} root
 * @returns {Choice}
 */
function chooseDovecotTests([version, ...paths], root) {
  if (version !== "2.4") throw new Error("--dovecot takes 2.4; the other tests run with 2.3");
  if (paths.length > 0)
    return {
      only: ["build", "dovecot-2.4"],
      unit: [],
      e2e: [],
      dovecot24: chooseTests(paths, root).unit,
    };
  const all = testsReaching(USES_OF_DOVECOT, root).filter((test) => test !== BOTH_VERSIONS);
  return { only: ["build", "unit", "dovecot-2.4"], unit: [BOTH_VERSIONS], e2e: [], dovecot24: all };
}

/** @param {string} path */
const isBrowserTest = (path) => /^e2e(\/|$)/.test(path);

/** @param {string} path a file, with or without a line number, or a folder @param {string} root */
function requireTests(path, root) {
  const file = path.replace(/:\d+$/, "");
  if (!existsSync(join(root, file))) throw new Error(`${file} doesn't exist`);
  const isFolder = statSync(join(root, file)).isDirectory();
  const tests = isBrowserTest(file) ? browserTests(root) : testFiles(root);
  if (isFolder && tests.some((test) => test.startsWith(`${file}/`))) return;
  if (isFolder) throw new Error(`${file} contains no tests`);
  if (!tests.includes(file))
    throw new Error(`${file} isn't a test: tests are *.test.ts, and *.spec.ts in e2e`);
}

/** @param {string} root */
function browserTests(root) {
  const files = readdirSync(join(root, "e2e"));
  return files.filter((name) => name.endsWith(".spec.ts")).map((name) => `e2e/${name}`);
}

/**
 * Which system packages the chosen tests need. Checks and fast tests need none.
 *
 * @param {Choice} choice
 * @returns {{ mail: boolean, browser: boolean }}
 */
export function neededPrograms({ only, unit }, root = ROOT) {
  if (only === null) return { mail: true, browser: true };
  const browser = only.includes("e2e");
  return { mail: browser || (only.includes("unit") && !areFast(unit, root)), browser };
}

/** @param {string[]} paths @param {string} root */
function areFast(paths, root) {
  const fast = new Set(testsByKind(root).fast);
  const isChosen = (/** @type {string} */ test) =>
    paths.length === 0 ||
    paths.some((path) => test === path.replace(/:\d+$/, "") || test.startsWith(`${path}/`));
  return testFiles(root)
    .filter(isChosen)
    .every((test) => fast.has(test));
}

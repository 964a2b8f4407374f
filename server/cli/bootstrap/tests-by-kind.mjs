import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

import { ROOT } from "./paths.mjs";

/** The folders that contain vitest's tests. */
const TEST_FOLDERS = ["app", "bench", "docs", "drizzle", "mail", "server", "worker"];

/** @typedef {"fast" | "database" | "process"} Kind */

const IMPORTS =
  /^(?:import|export)\s(?!type\s)(?:[^;"'`]*?\sfrom\s)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;

/**
 * Sorts the test files by what they reach through their imports: `process` tests reach `node:child_process`, by which
 * Dovecot, browsers and appliances start, `database` tests reach the database driver, `fast` tests neither.
 * `server/testing/setup-fast.ts` makes fast tests fail that start a process anyway.
 *
 * @param {string} [root]
 * @returns {Record<Kind, string[]>} paths from the root
 */
export function testsByKind(root = ROOT) {
  /** @type {Record<Kind, string[]>} */
  const kinds = { fast: [], database: [], process: [] };
  for (const [file, reached] of reachedByTests(root)) kinds[kindOf(reached)].push(file);
  return kinds;
}

/**
 * The tests that reach one of these files through their imports.
 *
 * @param {string[]} files
 * @param {string} [root]
 */
export function testsReaching(files, root = ROOT) {
  return [...reachedByTests(root)]
    .filter(([, reached]) => files.some((file) => reached.has(file)))
    .map(([test]) => test);
}

/** @param {string} root */
function* reachedByTests(root) {
  /** @type {Map<string, string[]>} */
  const known = new Map();
  const importsOf = (/** @type {string} */ file) => {
    const found = known.get(file) ?? readImports(root, file);
    known.set(file, found);
    return found;
  };
  for (const file of testFiles(root))
    yield /** @type {const} */ ([file, reachedFrom(file, importsOf)]);
}

/** All of vitest's test files. @param {string} [root] */
export function testFiles(root = ROOT) {
  return TEST_FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((path) =>
        posix.join(folder, String(path)),
      ),
    )
    .filter((path) => /\.test\.tsx?$/.test(path))
    .sort();
}

/** @param {Set<string>} reached @returns {Kind} */
function kindOf(reached) {
  if (reached.has("node:child_process")) return "process";
  return reached.has("postgres") ? "database" : "fast";
}

/** @param {string} file @param {(file: string) => string[]} importsOf */
function reachedFrom(file, importsOf) {
  const reached = new Set([file]);
  for (const each of reached)
    if (/\.(m?js|tsx?)$/.test(each)) for (const next of importsOf(each)) reached.add(next);
  return reached;
}

/**
 * @param {string} root
 * @param {string} file
 * @returns {string[]} paths from the root of our own files, names of packages and Node's modules
 */
function readImports(root, file) {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, "utf8").matchAll(IMPORTS)].map(([, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? "";
    if (specifier.startsWith("#")) return specifier.slice(1);
    return specifier.startsWith(".") ? posix.join(dirname(file), specifier) : specifier;
  });
}

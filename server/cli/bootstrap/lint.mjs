import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

import { readIfThere } from "./fingerprint.mjs";
import { inRoot, ROOT } from "./paths.mjs";

/** The keys of the files that passed. */
const PASSED = inRoot("node_modules/.cache/lint.json");
const OXLINT = inRoot("node_modules/.bin/oxlint");
const LINTED = /\.(tsx?|mts|[cm]?js)$/;
/** A change to one of these can change the findings in every file. Declarations can be global. */
const FOR_ALL = /^(oxlint\.config\.mjs|tsconfig\.json|package(-lock)?\.json)$|\.d\.ts$/;
const IMPORTS = /\b(?:from|import)\s*\(?\s*"([#.][^"]+)"/g;

/**
 * A key for each source file. It changes with the file and with everything that the file imports, because the rules read
 * the types of what is imported.
 *
 * @param {string} root
 * @param {string[]} paths all files, from the root
 * @returns {Map<string, string>}
 */
export function lintKeys(root, paths) {
  /** @type {Map<string, { hash: string, imports: string[] }>} */
  const known = new Map();
  const read = (/** @type {string} */ path) => {
    const found = known.get(path) ?? readSource(root, path);
    known.set(path, found);
    return found;
  };
  const forAll = paths.filter((path) => FOR_ALL.test(path)).map((path) => read(path).hash);
  const keyOf = (/** @type {string} */ path) => {
    const reached = new Set([path]);
    for (const each of reached) for (const next of read(each).imports) reached.add(next);
    const hashes = [...reached].sort().map((each) => read(each).hash);
    return hashOf([...forAll, ...hashes].join());
  };
  return new Map(paths.filter((path) => LINTED.test(path)).map((path) => [path, keyOf(path)]));
}

/** @param {string} root @param {string} path */
function readSource(root, path) {
  const text = readIfThere(join(root, path)) ?? "";
  const specifiers = LINTED.test(path) ? [...text.matchAll(IMPORTS)] : [];
  const imports = specifiers.map(([, specifier = ""]) =>
    specifier.startsWith("#") ? specifier.slice(1) : posix.join(dirname(path), specifier),
  );
  return { hash: hashOf(`${path}\0${text}`), imports };
}

/** @param {string} text */
const hashOf = (text) => createHash("sha256").update(text).digest("base64url");

/**
 * Lints and type-checks what has changed since it passed, and prints the findings.
 *
 * @returns {boolean} whether there are none
 */
function lint() {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const keys = lintKeys(ROOT, listed.split("\n"));
  const passed = new Map(Object.entries(JSON.parse(readIfThere(PASSED) ?? "{}")));
  const changed = [...keys].flatMap(([path, key]) => (passed.get(path) === key ? [] : [path]));
  const findings = changed.length > 0 ? findIn(changed) : [];
  for (const { filename, message, code, labels } of findings) {
    const { line, column } = labels?.[0]?.span ?? {};
    console.log(`${filename}:${line}:${column}: ${message} ${code ?? ""}`);
  }
  mkdirSync(dirname(PASSED), { recursive: true });
  writeFileSync(PASSED, JSON.stringify(Object.fromEntries(passedKeys(keys, findings))));
  return findings.length === 0;
}

/**
 * The keys of the files that passed: none if there is a finding in no file or another one, such as tsconfig.json, which
 * must be found again.
 *
 * @param {Map<string, string>} keys
 * @param {Pick<Finding, "filename">[]} findings
 */
export function passedKeys(keys, findings) {
  const found = new Set(findings.map(({ filename }) => filename));
  return [...found].every((path) => keys.has(path))
    ? [...keys].filter(([path]) => !found.has(path))
    : [];
}

/**
 * @typedef {{ filename: string, message: string, code?: string,
 *   labels?: { span: { line: number, column: number } }[] }} Finding
 */

/** @param {string[]} paths @returns {Finding[]} */
function findIn(paths) {
  const args = [
    "--config",
    "oxlint.config.mjs",
    "--format",
    "json",
    "--no-error-on-unmatched-pattern",
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [OXLINT, ...args, ...paths], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const output = /^\{.*\}$/s.exec(stdout.trim())?.[0];
  const { diagnostics } = output ? JSON.parse(output) : {};
  if (!diagnostics || (status !== 0 && diagnostics.length === 0))
    throw new Error(`oxlint ended with ${status}\n${stdout}${stderr}`);
  return diagnostics;
}

if (import.meta.main && !lint()) process.exitCode = 1;

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

import { readIfThere } from "./fingerprint.mjs";
import { inRoot, ROOT } from "./paths.mjs";

/** The keys of the files that passed. */
const PASSED = inRoot("node_modules/.cache/lint.json");
const LINTED = /\.(tsx?|mts|[cm]?js)$/;
/** A change to one of these can change the findings in every file. Declarations can be global. */
const FOR_ALL = /^(eslint\.config\.js|tsconfig\.json|package-lock\.json)$|\.d\.ts$/;
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

/** Lints what has changed since it passed, and prints the findings. */
async function lint() {
  const { ESLint } = await import("eslint");
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const keys = lintKeys(ROOT, listed.split("\n"));
  const passed = new Map(Object.entries(JSON.parse(readIfThere(PASSED) ?? "{}")));
  const changed = [...keys].filter(([path, key]) => passed.get(path) !== key);
  const eslint = new ESLint({ cwd: ROOT, errorOnUnmatchedPattern: false, warnIgnored: false });
  const results = changed.length > 0 ? await eslint.lintFiles(changed.map(([path]) => path)) : [];
  const found = new Set(
    results.filter(({ messages }) => messages.length > 0).map(({ filePath }) => filePath),
  );
  mkdirSync(dirname(PASSED), { recursive: true });
  const passing = [...keys].filter(([path]) => !found.has(inRoot(path)));
  writeFileSync(PASSED, JSON.stringify(Object.fromEntries(passing)));
  const formatter = await eslint.loadFormatter("stylish");
  console.log(await formatter.format(results));
  if (results.some(({ errorCount }) => errorCount > 0)) process.exitCode = 1;
}

if (import.meta.main) await lint();

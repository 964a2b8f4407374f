import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { lintKeys, passedKeys } from "./lint.mjs";
import { inRoot } from "./paths.mjs";

const root = mkdtempSync(join(tmpdir(), "posthouse-lint-"));
afterAll(() => rmSync(root, { recursive: true }));

const FILES = {
  "app/a.ts": 'import type { B } from "#server/b.ts";',
  "server/b.ts": 'export type { C } from "./c.ts";',
  "server/c.ts": 'const loaded = import("#app/a.ts");',
  "server/alone.ts": "",
  "globals.d.ts": "",
  "oxlint.config.mjs": "",
  "README.md": "",
};

test.each([
  ["server/c.ts", ["app/a.ts", "server/b.ts", "server/c.ts"]],
  ["server/alone.ts", ["server/alone.ts"]],
  ["README.md", []],
  ["globals.d.ts", Object.keys(FILES).filter((path) => path !== "README.md")],
  ["oxlint.config.mjs", Object.keys(FILES).filter((path) => path !== "README.md")],
])("a change to %s lints everything that it can affect", (changed, affected) => {
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  const before = lintKeys(root, Object.keys(FILES));
  write(changed, "export {};");
  const after = lintKeys(root, Object.keys(FILES));
  expect([...after].flatMap(([path, key]) => (before.get(path) === key ? [] : [path]))).toEqual(
    affected,
  );
});

test.each([
  ["in no file", [], ["a.ts", "b.ts"]],
  ["in a file", ["a.ts"], ["b.ts"]],
  ["in a file that isn't linted", ["a.ts", "tsconfig.json"], []],
  ["in an unknown place", [""], []],
])("with findings %s, lints again what has not passed", (_, filenames, passed) => {
  const keys = new Map(["a.ts", "b.ts"].map((path) => [path, "key"]));
  const findings = filenames.map((filename) => ({ filename }));
  expect(passedKeys(keys, findings).map(([path]) => path)).toEqual(passed);
});

const SENDING = `import "#server/core/access/a.ts";
import "#server/core/shared/b.ts";
import "#server/core/shared/internal/b.ts";
import "#server/web/b.ts";
import "../b.ts";
import "react";
import type { Context } from "#server/core/shared/context.ts";
export const query = \`select now()\`;
export const last = (id: string, ctx: Context) => [id, ctx, Date.now()];
export const owns = (db: Db, companyId: string) => [db, companyId];
type Db = object;
void (1 as string);
Promise.resolve();
console.log();`;

const APP = `import type { A } from "#server/http/b.ts";
import { b } from "#server/http/b.ts";
import { useState } from "react";
export const Page = ({ a }: { a: A }) => (a ? useState(b) : Math.random());`;

test("finds violations of layers, conventions, types and hooks", () => {
  const planted = { "server/core/sending/a.ts": SENDING, "app/a.tsx": APP };
  const context = "export type Context = object;";
  const others = {
    "server/core/shared/context.ts": context,
    "server/http/b.ts": "export type A = 1; export const b = 1;",
    "package.json": JSON.stringify({ type: "module", imports: { "#server/*": "./server/*" } }),
  };
  for (const [path, text] of Object.entries({ ...planted, ...others })) write(path, text);
  for (const name of ["oxlint.config.mjs", "tsconfig.json"])
    copyFileSync(inRoot(name), join(root, name));
  symlinkSync(inRoot("node_modules"), join(root, "node_modules"));
  const args = ["--config", "oxlint.config.mjs", "--format", "unix", ...Object.keys(planted)];
  const { stdout } = spawnSync(inRoot("node_modules/.bin/oxlint"), args, {
    cwd: root,
    encoding: "utf8",
  });
  const found = [...stdout.matchAll(/^(\S+\.tsx?:\d+):.*\[Error\/(.+)\]$/gm)];
  // The imported files don't exist.
  const lines = found
    .map(([, place, rule]) => `${place} ${rule}`)
    .filter((line) => !/TS2307|TS2882/.test(line));
  expect([...new Set(lines)].toSorted()).toEqual([
    "app/a.tsx:2 eslint-js(no-restricted-imports)",
    "app/a.tsx:4 react(purity)",
    "app/a.tsx:4 react-hooks(rules-of-hooks)",
    "app/a.tsx:4 typescript(no-unnecessary-condition)",
    "server/core/sending/a.ts:1 eslint-js(no-restricted-imports)",
    "server/core/sending/a.ts:10 eslint-js(no-restricted-syntax)",
    "server/core/sending/a.ts:12 typescript(TS2352)",
    "server/core/sending/a.ts:13 typescript(no-floating-promises)",
    "server/core/sending/a.ts:14 eslint(no-console)",
    "server/core/sending/a.ts:3 eslint-js(no-restricted-imports)",
    "server/core/sending/a.ts:4 eslint-js(no-restricted-imports)",
    "server/core/sending/a.ts:5 eslint-js(no-restricted-imports)",
    "server/core/sending/a.ts:6 eslint-js(no-restricted-imports)",
    "server/core/sending/a.ts:8 eslint-js(no-restricted-syntax)",
    "server/core/sending/a.ts:9 eslint-js(no-restricted-syntax)",
  ]);
});

function write(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

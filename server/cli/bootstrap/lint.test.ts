import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { lintKeys } from "./lint.mjs";

const root = mkdtempSync(join(tmpdir(), "posthouse-lint-"));
afterAll(() => rmSync(root, { recursive: true }));

const FILES = {
  "app/a.ts": 'import type { B } from "#server/b.ts";',
  "server/b.ts": 'export type { C } from "./c.ts";',
  "server/c.ts": 'const loaded = import("#app/a.ts");',
  "server/alone.ts": "",
  "globals.d.ts": "",
  "eslint.config.js": "",
  "README.md": "",
};

test.each([
  ["server/c.ts", ["app/a.ts", "server/b.ts", "server/c.ts"]],
  ["server/alone.ts", ["server/alone.ts"]],
  ["README.md", []],
  ["globals.d.ts", Object.keys(FILES).filter((path) => path !== "README.md")],
  ["eslint.config.js", Object.keys(FILES).filter((path) => path !== "README.md")],
])("a change to %s lints everything that it can affect", (changed, affected) => {
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  const before = lintKeys(root, Object.keys(FILES));
  write(changed, "export {};");
  const after = lintKeys(root, Object.keys(FILES));
  expect([...after].flatMap(([path, key]) => (before.get(path) === key ? [] : [path]))).toEqual(
    affected,
  );
});

function write(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

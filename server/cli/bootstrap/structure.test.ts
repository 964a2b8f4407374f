import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { describeStructure, measureStructure } from "./structure.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "posthouse-structure-"));
  execFileSync("git", ["init", "-q"], { cwd: root });
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const found = () => measureStructure(root).found;

test("finds import cycles with and without type imports, except between tables", () => {
  write({
    "server/a.ts": `import { b } from "./b.ts"; export const a = b;`,
    "server/b.ts": `import { c } from "#server/c.ts"; export const b = c;`,
    "server/c.ts": `import { a } from "./a.ts"; export const c = a;`,
    "worker/d.ts": `import type { E } from "./e.ts"; export type D = E;`,
    "worker/e.ts": `import { type D } from "./d.ts"; export type E = D;`,
    "drizzle/schema/f.ts": `import { g } from "./g.ts"; export const f = g;`,
    "drizzle/schema/g.ts": `import { f } from "./f.ts"; export const g = f;`,
  });
  expect(found()).toMatchObject({
    valueCycles: ["server/a.ts, server/b.ts, server/c.ts"],
    typeCycles: ["server/a.ts, server/b.ts, server/c.ts", "worker/d.ts, worker/e.ts"],
  });
});

test("finds fragments, names exported twice, spread literals and renamed imports", () => {
  write({
    "server/one.ts": `import { part as other } from "./part.ts"; export const name = { ...{ other } };`,
    "server/two.ts": `import { tested } from "./tested.ts"; export const name = [...[tested]];`,
    "server/part.ts": `export const part = 1;`,
    "server/tested.ts": `export const tested = 1;`,
    "server/tested.test.ts": `import { tested } from "./tested.ts"; export const name = tested;`,
    "server/testing/three.ts": `export const name = 1;`,
  });
  expect(found()).toMatchObject({
    fragments: ["server/part.ts"],
    sharedNames: ["name: server/one.ts, server/two.ts"],
    packed: ["server/one.ts:1", "server/two.ts:1"],
    aliases: ["server/one.ts: part as other"],
  });
});

test("finds columns of a single table that several files declare again", () => {
  write({
    "drizzle/schema/a.ts": `export const a = pgTable("a", { id: text(), quotaMb: int(), sentAt: text() });`,
    "drizzle/schema/b.ts": `export const b = pgTable("b", { id: text(), sentAt: text(), one: text() });`,
    "server/c.ts": `export type C = Pick<A, "quotaMb"> & { quotaMb: number; sentAt: string; one: string; isOff: 1 };`,
    "server/d.ts": `export const D = z.object({ quota_mb: z.int(), sentAt: z.string(), one: z.string(), isOff: z.int() });`,
    "server/e.ts": `export const e = { quotaMb: 1 };`,
  });
  expect(found().repeatedFields).toEqual(["quotaMb: server/c.ts, server/d.ts"]);
});

test("lists the exceptions if there are more than allowed", () => {
  write({ "server/a.ts": `export const a = { ...{ b: 1 } };` });
  const none = {
    fragments: 0,
    sharedNames: 0,
    aliases: 0,
    valueCycles: 0,
    typeCycles: 0,
    repeatedFields: 0,
  };
  const measured = measureStructure(root);
  expect(describeStructure(measured, { ...none, packed: 1 }).failures).toEqual([]);
  const { table, failures } = describeStructure(measured, { ...none, packed: 0 });
  expect(table).toMatch(/^product files +1\n/);
  expect(failures).toEqual([expect.stringContaining("server/a.ts:1")]);
});

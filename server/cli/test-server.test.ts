import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { afterAll, expect, test, vi } from "vitest";

import { ensureBuilt } from "#server/testing/ensure-built.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = join(ROOT, "server/cli/posthouse.mjs");

/** The code of docs/test-mode.md, in files from which it finds its packages. */
async function writeRecipe() {
  const text = await readFile(join(ROOT, "docs/test-mode.md"), "utf8");
  const [setup, tests] = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code!);
  const parent = join(ROOT, "node_modules/.cache");
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "test-mode-"));
  const runnable = setup!
    .replace('spawn("npx"', `spawn(${JSON.stringify(process.execPath)}`)
    .replace('"posthouse", "test-server"', `${JSON.stringify(COMMAND)}, "test-server"`);
  await writeFile(join(folder, "setup.mjs"), runnable);
  await writeFile(join(folder, "tests.mjs"), tests!);
  return { folder, load: (name: string) => import(pathToFileURL(join(folder, name)).href) };
}

type Setup = { setup: () => Promise<void>; teardown: () => Promise<void> };

const foldersOf = async () => {
  const parents = ["/dev/shm", tmpdir()].filter(existsSync);
  const found = await Promise.all(parents.map((parent) => readdir(parent)));
  return new Set(found.flat().filter((name) => name.startsWith("posthouse-test-server-")));
};

await ensureBuilt();
const before = await foldersOf();
const recipe = await writeRecipe();
const { setup, teardown } = (await recipe.load("setup.mjs")) as Setup;
await setup();
const url = process.env.RESEND_BASE_URL!;

// Defines the tests of the page, which run against this server.
await recipe.load("tests.mjs");

let isStopped = false;
const stop = async () => {
  if (!isStopped) await teardown();
  isStopped = true;
};
afterAll(async () => {
  await stop();
  await rm(recipe.folder, { recursive: true });
});

test("serves the console", async () => {
  const page = await fetch(`${url}/console/sign-in`);
  expect(page.status).toBe(200);
});

test("stops and deletes its files when standard input closes", async () => {
  const own = [...(await foldersOf())].filter((name) => !before.has(name));
  expect(own).toHaveLength(1);
  await stop();
  await vi.waitFor(async () => expect(await foldersOf()).not.toContain(own[0]));
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

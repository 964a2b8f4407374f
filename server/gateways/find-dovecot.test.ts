import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { findDovecot } from "./find-dovecot.mjs";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-find-dovecot-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Installs a program that reports a version. */
async function install(version: string) {
  await writeFile(join(folder, "dovecot"), `#!/bin/sh\necho "${version}"\n`);
  await chmod(join(folder, "dovecot"), 0o755);
}

const safe = () => Promise.resolve(null);

test.each([
  ["2.3.19.1 (9b53102964)", "2.3", "2.3.19.1"],
  ["2.4.1-4 (7d8c0e5759)", "2.4", "2.4.1-4"],
])("finds Dovecot %s", async (reported, version, release) => {
  await install(reported);
  expect(await findDovecot(folder, safe)).toEqual({
    binary: join(folder, "dovecot"),
    version,
    release,
    hasSearch: expect.any(Boolean) as boolean,
  });
});

test.each(["2.2.36 (1f10bfa63)", "2.5.0 (abc)"])("rejects Dovecot %s", async (reported) => {
  await install(reported);
  await expect(findDovecot(folder, safe)).rejects.toThrow("2.3 or 2.4 is needed");
});

test("rejects a Dovecot 2.4 that runs SQL in user names, and says how to upgrade it", async () => {
  await install("2.4.1-4 (7d8c0e5759)");
  const revision = "1:2.4.1+dfsg1-6"; // cspell:ignore dfsg
  await expect(findDovecot(folder, () => Promise.resolve(revision))).rejects.toThrow(
    `Dovecot ${revision} lets anyone run SQL (CVE-2026-24031). Run as root: apt-get update && apt-get install`,
  );
});

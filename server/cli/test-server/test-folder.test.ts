import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test, vi } from "vitest";

import { lockFile } from "#server/processes/run-lock.ts";

import { deleteAbandonedFolders } from "./test-folder.ts";

const parent = mkdtempSync(join(tmpdir(), "posthouse-folders-"));
afterAll(() => {
  vi.useRealTimers();
  rmSync(parent, { recursive: true });
});

test("deletes the folders of killed test servers, once all their processes have ended", async () => {
  const names = ["killed", "running", "stopping"].map((name) => `posthouse-test-server-${name}`);
  const [, running, stopping] = names;
  for (const name of [...names, "other"]) {
    mkdirSync(join(parent, name));
    for (const file of ["posthouse.pid", "processes.lock"])
      writeFileSync(join(parent, name, file), "");
  }
  const locks = [
    await lockFile(join(parent, running!, "posthouse.pid"), { waitMs: 0 }),
    await lockFile(join(parent, stopping!, "processes.lock"), { waitMs: 0 }),
  ];
  await deleteAbandonedFolders([parent]);
  expect(readdirSync(parent)).toHaveLength(4);

  vi.useFakeTimers({ now: Date.now() + 120_000, toFake: ["Date"] });
  await deleteAbandonedFolders([parent, join(parent, "missing")]);
  expect(readdirSync(parent).toSorted()).toEqual(["other", running, stopping]);
  for (const lock of locks) lock!.release();
});

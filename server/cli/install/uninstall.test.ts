import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "vitest";

import { aSmallDisk, testWithSmallDisk } from "#server/testing/a-small-disk.ts";

import { deleteFolder } from "./uninstall.ts";

testWithSmallDisk("deletes the data folder, or empties it if a disk is mounted there", async () => {
  const parent = mkdtempSync(join(tmpdir(), "posthouse-uninstall-"));
  try {
    await using disk = await aSmallDisk(parent, "1m");
    for (const folder of [disk.path, join(parent, "data")]) {
      mkdirSync(join(folder, "mail/example.com"), { recursive: true });
      writeFileSync(join(folder, "posthouse.pid"), "");
      await deleteFolder(folder);
    }
    expect(readdirSync(disk.path)).toEqual([]);
    expect(existsSync(join(parent, "data"))).toBe(false);
  } finally {
    rmSync(parent, { recursive: true });
  }
});

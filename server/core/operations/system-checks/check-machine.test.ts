import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { DISK_RESERVE_BYTES } from "#server/processes/machine.ts";
import { aSmallDisk, testWithSmallDisk } from "#server/testing/a-small-disk.ts";

import { checkDisk, checkMemory } from "./check-machine.ts";

testWithSmallDisk(
  "low disk space is a warning below twice the reserve and a failure below the reserve",
  async () => {
    const root = await mkdtemp(join(tmpdir(), "posthouse-disk-"));
    const disk = await aSmallDisk(root, 3 * DISK_RESERVE_BYTES);
    const look = async () => (await checkDisk({ dataFolder: disk.path })).state;
    expect(await look()).toBe("ok");
    await disk.resize(2 * DISK_RESERVE_BYTES - 65_536);
    expect(await look()).toBe("warning");
    await disk.resize(DISK_RESERVE_BYTES - 65_536);
    expect(await checkDisk({ dataFolder: disk.path })).toMatchObject({
      state: "failed",
      found: expect.stringMatching(/^1\.25 GB free/) as string,
      advice: expect.stringContaining("no mail is accepted") as string,
    });
    await disk[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  },
);

test("a machine sold with 1 GB passes, one with 512 MB is a warning", () => {
  expect(checkMemory(967 * 1024 ** 2)).toMatchObject({ state: "ok", found: "0.9 GB" });
  expect(checkMemory(480 * 1024 ** 2)).toMatchObject({ state: "warning", found: "0.5 GB" });
});

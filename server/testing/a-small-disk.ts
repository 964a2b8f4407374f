import { execFile } from "node:child_process";
import { mkdir, mkdtemp } from "node:fs/promises";
import { closeSync, openSync, readFileSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { testIf } from "./test-if.ts";

const run = promisify(execFile);

/** CAP_SYS_ADMIN, which root usually lacks in a container (capabilities(7)). */
const MOUNT_CAPABILITY = 1n << 21n;

function canMount(): boolean {
  const [, effective] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))!;
  return (BigInt(`0x${effective!}`) & MOUNT_CAPABILITY) !== 0n;
}

/** Defines a test that uses `aSmallDisk`. */
export const testWithSmallDisk = testIf(canMount(), "needs root to mount a small file system");

/** A separate file system that can be filled up. Needs root to mount it. */
export type SmallDisk = AsyncDisposable & {
  path: string;
  freeBytes(): number;
  /** Changes its size, a cheap way to leave little free space. */
  resize(size: string | number): Promise<void>;
  /** Fills it completely until released. */
  fill(): { free(): void };
};

/** Mounts a tmpfs of the given size (bytes, or "64m") in a new folder below `parent`. */
export async function aSmallDisk(parent: string, size: string | number): Promise<SmallDisk> {
  await mkdir(parent, { recursive: true });
  const path = await mkdtemp(join(parent, "disk-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", path]);
  return {
    path,
    freeBytes() {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
    async resize(to) {
      await run("mount", ["-o", `remount,size=${to}`, path]);
    },
    fill: () => fill(join(path, "filler")),
    async [Symbol.asyncDispose]() {
      await run("umount", ["--lazy", path]);
    },
  };
}

function fill(file: string) {
  const opened = openSync(file, "w");
  try {
    for (let bytes = 1 << 20; bytes > 0; bytes = Math.floor(bytes / 2))
      writeWhilePossible(opened, bytes);
  } finally {
    closeSync(opened);
  }
  return { free: () => rmSync(file, { force: true }) };
}

function writeWhilePossible(opened: number, bytes: number): void {
  const block = Buffer.alloc(bytes);
  try {
    while (writeSync(opened, block) === bytes);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

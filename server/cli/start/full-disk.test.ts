import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { aSmallDisk, type SmallDisk } from "#server/testing/a-small-disk.ts";
import { imapSignIn } from "#server/testing/imap-dialog.ts";
import {
  type Appliance,
  applianceEnv,
  descendantsOf,
  startAppliance,
} from "#server/testing/start-appliance.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-full-"));
let disk: SmallDisk;
let appliance: Appliance;

beforeAll(async () => {
  disk = await aSmallDisk(folder, "8g");
  appliance = startAppliance({
    ...(await applianceEnv(disk.path)),
    POSTHOUSE_ROLES: "worker,mail",
  });
  await appliance.says("Posthouse is ready");
});
afterAll(async () => {
  appliance.process.kill("SIGTERM");
  await appliance.exited;
  await disk[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function workerPid(): Promise<number | null> {
  const pids = await descendantsOf(appliance.process.pid!);
  const isWorker = (pid: number) => commandOf(pid).includes("worker/main.ts");
  return pids.find(isWorker) ?? null;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const isRunning = () =>
  appliance.process.exitCode === null && appliance.process.signalCode === null;

test("a full disk and a closed output stop neither the supervisor nor reading mail; a stopped worker is replaced", async () => {
  const { password } = JSON.parse(readFileSync(join(disk.path, "keys/sandbox.json"), "utf8")) as {
    password: string;
  };
  const { blocks, bfree, bsize } = statfsSync(disk.path);
  // The appliance writes meanwhile, and a file system can't be made smaller than its content.
  await disk.resize((blocks - bfree) * bsize + 32 * 1024 * 1024);
  const filler = disk.fill();
  expect(disk.freeBytes()).toBeLessThan(1024 * 1024);
  appliance.process.stdout!.destroy();
  appliance.process.stderr!.destroy();

  const stopped = (await workerPid())!;
  process.kill(stopped, "SIGSTOP");
  await vi.waitFor(
    async () => {
      const pid = await workerPid();
      expect(pid).not.toBeNull();
      expect(pid).not.toBe(stopped);
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(isRunning()).toBe(true);
  expect(
    await imapSignIn(Number(appliance.env.IMAPS_PORT), "you@posthouse.localhost", { password }),
  ).toMatch(/^OK /);

  filler.free();
  await disk.resize("8g");
  rmSync(join(disk.path, "logs"), { recursive: true });
  process.kill((await workerPid())!, "SIGKILL");
  await vi.waitFor(
    () => expect(readFileSync(join(disk.path, "logs/worker.log"), "utf8")).toContain("ready"),
    { timeout: 60_000, interval: 500 },
  );
  expect(isRunning()).toBe(true);
});

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, expect } from "vitest";

import { clusterFolder } from "#server/postgres/cluster.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { serviceUser } from "#server/processes/service-user.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { testIf } from "#server/testing/test-if.ts";

const testAsRoot = testIf(process.getuid!() === 0, "needs root");

/** A stand-in for a repository with one backup, whose connection ends during the restore. */
const RESTIC = `#!/bin/sh
case $RESTIC_PASSWORD in
  wrong) echo "Fatal: wrong password or no key found" >&2; exit 1 ;;
  offline) echo "Fatal: unable to open repository: connection refused" >&2; exit 1 ;;
esac
snapshot() { echo "{\\"id\\":\\"0123456789\\",\\"time\\":\\"2026-11-20T00:00:00Z\\",\\"tags\\":[\\"$1\\"]}"; }
case $3 in
  snapshots) echo "[$(snapshot database),$(snapshot files)]" ;;
  restore) echo "Fatal: connection reset" >&2; exit 1 ;;
esac
`;
/** A stand-in for systemctl, whose services all run. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$SYSTEMCTL_LOG"
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "posthouse-mistakes-"));
  chmodSync(root, 0o755);
});
afterEach(() => rmSync(root, { recursive: true }));

const dataFolder = () => join(root, "var/lib/posthouse");
const systemctlCalls = () =>
  existsSync(join(root, "log")) ? readFileSync(join(root, "log"), "utf8").trim().split("\n") : [];

/** An installed service whose data folder was emptied. */
async function anEmptiedService(): Promise<void> {
  mkdirSync(join(root, "run/systemd/system"), { recursive: true });
  mkdirSync(dirname(dataFolder()), { recursive: true });
  mkdirSync(dataFolder(), { mode: 0o700 });
  const { uid, gid } = await serviceUser();
  chownSync(dataFolder(), uid, gid);
  for (const [file, text] of [
    ["bin/restic", RESTIC],
    ["bin/systemctl", SYSTEMCTL],
    ["usr/local/bin/posthouse", ""],
    ["etc/systemd/system/posthouse.service", ""],
  ] as const) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text, { mode: 0o755 });
  }
}

const restore = (key: string, ...more: string[]) =>
  runPosthouse(["restore", "--from", "https://backup.example/x", "--root", root, ...more], {
    POSTHOUSE_DATA: dataFolder(),
    DATABASE_URL: "",
    POSTHOUSE_BACKUP_KEY: key,
    PATH: `${join(root, "bin")}:${process.env.PATH ?? ""}`,
    SYSTEMCTL_LOG: join(root, "log"),
  });

testAsRoot("bad arguments are rejected before the service is stopped", async () => {
  await anEmptiedService();
  const wrong = await restore("wrong");
  expect(wrong.stderr).toContain("The recovery key doesn't open this repository");
  const offline = await restore("offline");
  expect(offline.stderr).toContain("connection refused");
  const early = await restore("right", "--at", "2026-01-01");
  expect(early.stderr).toContain('No backup matches "2026-01-01"');
  mkdirSync(join(dataFolder(), "mail/example.com"), { recursive: true });
  const occupied = await restore("right");
  expect(occupied.stderr).toContain("already has data");
  expect([wrong, offline, early, occupied].map(({ code }) => code)).toEqual([1, 1, 1, 1]);
  expect(systemctlCalls()).toEqual([]);
});

testAsRoot("a service isn't started without its database after a failed restore", async () => {
  await anEmptiedService();
  rmSync(dataFolder(), { recursive: true });
  const { code, stderr } = await restore("right");
  expect(code).toBe(1);
  expect(statSync(dataFolder()).uid).toBe((await serviceUser()).uid);
  expect(stderr).toContain("✗ Restore: restic failed: connection reset");
  expect(stderr).toContain(
    "! The service wasn't started because there is no database. Run the restore again",
  );
  expect(systemctlCalls()).toEqual([
    "is-active --quiet posthouse.service",
    "disable --now --quiet posthouse.service",
  ]);
  const start = startEmbeddedPostgres({ folder: clusterFolder(dataFolder()) });
  await expect(start).rejects.toThrow(
    `A restore into ${dataFolder()} wasn't completed. Run posthouse restore again`,
  );
});

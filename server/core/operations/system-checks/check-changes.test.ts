import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { backups, companies, settings } from "#drizzle/schema/index.ts";
import { isBackupDue, recordProved, recordStart } from "#server/core/operations/backups/backups.ts";
import {
  advanceStream,
  areChangesDue,
  endStream,
  ensureStream,
  limitKeptWal,
  markPosition,
  readStoredChanges,
  readStream,
  segmentsBefore,
  writeStoredChanges,
} from "#server/core/operations/backups/stored-changes.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { checkChanges } from "./check-changes.ts";

const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-check-changes-"));
const around = { localMode: false, dataFolder };
const DESTINATION = "sftp://host/path";
const NOW = new Date("2026-11-20T12:00:00Z");

// The server of the tests counts as the embedded one of this data folder.
beforeAll(async () => {
  const [row] = await db().execute<{ folder: string }>(
    sql`select current_setting('data_directory') as folder`,
  );
  symlinkSync(row!.folder, join(dataFolder, "postgres"));
  mkdirSync(join(dataFolder, "backup"));
});

beforeEach(async () => {
  await endStream(db());
  await db().delete(backups);
  await db().delete(settings);
  await changeSetting(db(), "backup_to", DESTINATION);
});

afterAll(async () => {
  await endStream(db());
  rmSync(dataFolder, { recursive: true });
});

/** Changes that were stored this many minutes ago, after a backup. */
async function storedChanges(
  minutes: number,
  more: { error?: string; seconds?: number; stream?: string; destination?: string } = {},
): Promise<void> {
  const at = new Date(NOW.getTime() - minutes * 60_000).toISOString();
  await writeStoredChanges(dataFolder, {
    stream: await ensureStream(db()),
    destination: DESTINATION,
    backupId: "1",
    wal: null,
    mail: "1",
    at,
    triedAt: at,
    seconds: 1,
    error: null,
    ...more,
  });
}

const check = () => checkChanges(db(), around, NOW);
const isDue = () => areChangesDue(db(), around, NOW);

test("changes are due every few minutes, and take at most a twentieth of the time", async () => {
  await storedChanges(4);
  expect(await isDue()).toBe(false);
  await storedChanges(5);
  expect(await isDue()).toBe(true);
  await storedChanges(5, { seconds: 30 });
  expect(await isDue()).toBe(false);
  await storedChanges(10, { seconds: 30 });
  expect(await isDue()).toBe(true);
});

test.each([
  ["backup_to", "off"],
  ["backup_to", "local"],
  ["backup_changes_minutes", "0"],
])("with %s %s, no WAL is kept and nothing is checked", async (name, value) => {
  await storedChanges(5);
  await changeSetting(db(), name, value);
  expect(await isDue()).toBe(false);
  expect(await readStream(db())).toBeNull();
  expect(await check()).toBeNull();
});

test("fails when the newest restore point is old, with the reason", async () => {
  await storedChanges(20);
  expect(await check()).toMatchObject({
    state: "ok",
    found: "The newest restore point is 20 minutes old",
  });
  await storedChanges(21, { error: "no route to host" });
  expect(await check()).toMatchObject({
    state: "failed",
    found: "The newest restore point is 21 minutes old. The last attempt failed: no route to host",
  });
  await storedChanges(24, { seconds: 30 });
  expect(await check()).toMatchObject({ state: "ok" });
});

test("after a gap in the WAL or with another destination, a new backup is due", async () => {
  await changeSetting(db(), "backup_hour", String((new Date().getUTCHours() + 2) % 24));
  await db().delete(companies);
  await aCompany();
  await db()
    .update(companies)
    .set({ createdAt: sql`now() - interval '2 days'` });
  const id = await recordStart(db(), DESTINATION);
  await recordProved(db(), id, { proof: "restored and started" });
  await db()
    .update(backups)
    .set({ startedAt: sql`now() - interval '2 hours'` });

  await storedChanges(5);
  expect(await isBackupDue(db(), around)).toBe(false);
  expect(await check()).toMatchObject({ state: "ok" });
  for (const broken of [{ stream: "another" }, { destination: "/mnt/backup" }]) {
    await storedChanges(5, broken);
    expect(await isDue()).toBe(false);
    expect(await isBackupDue(db(), around)).toBe(true);
    expect(await check()).toMatchObject({
      state: "failed",
      found: "Changes since the last backup aren't stored",
    });
  }
});

test("keeps WAL until it is stored, but not more than the limit", async () => {
  await storedChanges(0);
  const stream = (await readStream(db()))!;
  expect(await ensureStream(db())).toBe(stream.name);
  await db().execute(sql`select pg_switch_wal()`);
  const position = await markPosition(db());
  const segments = await segmentsBefore(db(), stream, position);
  expect(segments[0]).toBe(stream.first);
  await advanceStream(db(), stream, position.segmentStart);
  const later = (await readStream(db()))!;
  expect(later.first).toBe(position.segment);
  expect(await segmentsBefore(db(), later, position)).toEqual([]);
  await expect(segmentsBefore(db(), { ...later, first: "0".repeat(24) }, position)).rejects.toThrow(
    "is missing",
  );

  await limitKeptWal(db());
  expect(await readStream(db())).not.toBeNull();
  await limitKeptWal(db(), 0);
  expect(await readStream(db())).toBeNull();
  expect((await readStoredChanges(dataFolder))!.stream).toBe(stream.name);
});

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { backups, companies, settings } from "#drizzle/schema/index.ts";
import {
  isBackupDue,
  recordFailure,
  recordProved,
  recordStart,
} from "#server/core/operations/backups/backups.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { checkBackup } from "./check-backup.ts";

const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-check-backup-"));
const around = { localMode: false, dataFolder };
const STORED = { messages: 3, totalBytes: 100, addedBytes: 10 };

// The server of the tests counts as the embedded one of this data folder.
beforeAll(async () => {
  const [row] = await db().execute<{ folder: string }>(
    sql`select current_setting('data_directory') as folder`,
  );
  symlinkSync(row!.folder, join(dataFolder, "postgres"));
  writeFileSync(join(dataFolder, "restic"), "");
});

beforeEach(async () => {
  vi.stubEnv("PATH", dataFolder);
  await db().delete(backups);
  await db().delete(settings);
});
afterAll(() => rmSync(dataFolder, { recursive: true }));

async function aBackup({ hours, error }: { hours: number; error?: string }): Promise<void> {
  const id = await recordStart(db(), "sftp://host/path");
  if (error) await recordFailure(db(), id, { error, stored: null });
  else await recordProved(db(), id, { ...STORED, proof: "restored and started" });
  await db()
    .update(backups)
    .set({ startedAt: sql`statement_timestamp() - make_interval(mins => ${hours * 60 + 1})` })
    .where(sql`id = ${id}`);
}

const check = () => checkBackup(db(), around);

test("passes during the first night, and fails after it or when restic is missing", async () => {
  await db().delete(companies);
  await aCompany();
  expect(await check()).toMatchObject({ state: "unknown", found: "No backup yet" });
  await db()
    .update(companies)
    .set({ createdAt: sql`now() - interval '27 hours'` });
  expect(await check()).toMatchObject({ state: "failed", found: "No backup has been verified" });
  vi.stubEnv("PATH", "/nonexistent");
  expect(await check()).toMatchObject({
    state: "failed",
    found: "restic isn't installed, so there are no backups",
    advice: expect.stringContaining("apt-get install -y --no-install-recommends restic") as string,
  });
});

test("passes while the last verified backup is at most 26 hours old", async () => {
  await aBackup({ hours: 25 });
  expect(await check()).toMatchObject({
    state: "ok",
    found: "Backed up 25 hours ago to sftp://host/path. Verified: restored and started",
  });
  await db().delete(backups);
  await aBackup({ hours: 26 });
  expect(await check()).toMatchObject({
    state: "failed",
    found: "The last verified backup is 26 hours old",
  });
});

test("shows why a backup failed: a warning after a recent verified one, otherwise a failure", async () => {
  await aBackup({ hours: 1, error: "no space left" });
  expect(await check()).toMatchObject({
    state: "failed",
    found: "No backup has been verified. The last one failed: no space left",
  });
  await aBackup({ hours: 2 });
  expect(await check()).toMatchObject({
    state: "warning",
    found: expect.stringContaining("The last run failed: no space left") as string,
  });
});

test("reports a nightly backup that is off, and a database that isn't backed up", async () => {
  await changeSetting(db(), "backup_to", "off");
  expect(await check()).toMatchObject({ state: "warning", found: "The nightly backup is off" });
  const foreign = { localMode: false, dataFolder: "/nonexistent" };
  expect(await checkBackup(db(), foreign)).toMatchObject({
    found: "Posthouse doesn't back up the database of DATABASE_URL",
  });
  expect(await checkBackup(db(), { ...around, localMode: true })).toMatchObject({ state: "ok" });
});

test("a backup is due once a day, and an hour after a failure", async () => {
  // Its hour was 22 to 23 hours ago.
  await changeSetting(db(), "backup_hour", String((new Date().getUTCHours() + 2) % 24));
  const isDue = () => isBackupDue(db(), around);
  await db().delete(companies);
  expect(await isDue()).toBe(false);
  await aCompany();
  expect(await isDue()).toBe(false);
  await db()
    .update(companies)
    .set({ createdAt: sql`now() - interval '2 days'` });
  expect(await isDue()).toBe(true);
  await aBackup({ hours: 24 });
  expect(await isDue()).toBe(true);
  await aBackup({ hours: 1, error: "no space left" });
  expect(await isDue()).toBe(true);
  await aBackup({ hours: 0, error: "no space left" });
  expect(await isDue()).toBe(false);
  await db().delete(backups);
  await aBackup({ hours: 12 });
  expect(await isDue()).toBe(false);
});

test("on a new server, one is due once backup_to is set, so that restore points can follow it", async () => {
  await db().delete(companies);
  await changeSetting(db(), "backup_to", "/mnt/backup");
  expect(await isBackupDue(db(), around)).toBe(false);
  await aCompany();
  expect(await isBackupDue(db(), around)).toBe(true);
  await aBackup({ hours: 0, error: "no space left" });
  expect(await isBackupDue(db(), around)).toBe(false);
});

test("backups can be due more often, and the check expects it", async () => {
  await changeSetting(db(), "backup_hour", String((new Date().getUTCHours() + 2) % 24));
  await db()
    .update(companies)
    .set({ createdAt: sql`now() - interval '2 days'` });
  await aBackup({ hours: 7 });
  expect(await isBackupDue(db(), around)).toBe(false);
  expect(await check()).toMatchObject({
    found: expect.stringMatching(/^Backed up 7 hours/) as string,
  });
  await changeSetting(db(), "backup_every_hours", "4");
  expect(await isBackupDue(db(), around)).toBe(true);
  expect(await check()).toMatchObject({
    state: "failed",
    found: "The last verified backup is 7 hours old",
  });
  // The last start was 2 to 3 hours ago.
  await aBackup({ hours: 1 });
  expect(await isBackupDue(db(), around)).toBe(false);
});

test("no backup is due when it is off, in local mode, or with an external database", async () => {
  expect(await isBackupDue(db(), { ...around, localMode: true })).toBe(false);
  expect(await isBackupDue(db(), { localMode: false, dataFolder: "/nonexistent" })).toBe(false);
  await changeSetting(db(), "backup_to", "off");
  expect(await isBackupDue(db(), around)).toBe(false);
});

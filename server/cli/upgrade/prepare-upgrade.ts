import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { makeOwn } from "#server/backup/make-own.ts";
import { CommandError } from "#server/cli/command-error.ts";
import type { Display } from "#server/cli/display.mjs";
import { ShownFailure } from "#server/cli/shown-failure.ts";
import { readUpgrade, removeUpgrade } from "#server/cli/start/rollback/upgrade-record.ts";
import { preparedFolder } from "#server/cli/start/rollback/rollback.ts";
import { withDatabaseUnchanged } from "#server/cli/with-database.ts";
import { config } from "#server/config.ts";
import { appliedSchema } from "#server/db/applied-schema.ts";
import { knownSchema } from "#server/db/known-schema.ts";
import { POSTGRES_MAJOR } from "#server/postgres/binaries.ts";
import { cloneCluster } from "#server/postgres/clone-cluster.ts";
import { clusterFolder, majorOf } from "#server/postgres/cluster.ts";
import { exitCodeOf, writeInput } from "#server/processes/child-exit.ts";
import { NODE_FLAGS } from "#server/processes/node-flags.ts";
import { programFile } from "#server/processes/program-file.ts";
import { asServiceUser } from "#server/processes/service-user.ts";

import { backUpBefore, type BackupResult } from "./back-up-before.ts";
import { type Rehearsal, rehearsalFolder } from "./rehearse.ts";

const POSTHOUSE = programFile("server/cli/posthouse.ts");

export type Preparation = {
  /** Whether this version changes the schema. */
  migrates: boolean;
  rehearsal: Rehearsal;
  backup: BackupResult;
};

/**
 * Rehearses the upgrade of the data to this version, makes a backup, copies the database for rollback, and allows the next start
 * to upgrade, even if an earlier one failed. The previous version keeps running.
 *
 * @param backup false for none; otherwise where to, or undefined for the configured place
 * @param onlyRehearse whether to make no copy for rollback
 */
export async function prepareUpgrade(
  {
    backup,
    onlyRehearse,
    json,
  }: { backup: string | false | undefined; onlyRehearse: boolean; json: boolean },
  display: Display,
): Promise<Preparation> {
  const { dataFolder } = config();
  return withDatabaseUnchanged(dataFolder, async (url) => {
    const applied = await appliedSchema(url);
    if (applied !== null && applied > knownSchema())
      throw new CommandError(
        "A newer version of Posthouse has used this database. Run upgrade with that version, or a newer one",
      );
    const rehearsal = await rehearseAsService(url, dataFolder, json);
    const done = backup === false ? null : await backUpBefore(url, { to: backup, json }, display);
    const migrates = applied !== knownSchema();
    const changesMajor = (await majorOf(clusterFolder(dataFolder))) !== POSTGRES_MAJOR;
    if ((migrates || changesMajor) && !onlyRehearse)
      await display.step("Copy the database for rollback", () =>
        cloneCluster(url, clusterFolder(dataFolder), preparedFolder(dataFolder)),
      );
    if (readUpgrade(dataFolder)?.failure) await removeUpgrade(dataFolder);
    return { migrates, rehearsal, backup: done };
  });
}

/** Root must not read or run what the services can write. */
async function rehearseAsService(
  url: string,
  dataFolder: string,
  json: boolean,
): Promise<Rehearsal> {
  const folder = rehearsalFolder(dataFolder);
  await makeOwn(folder);
  const { command, args } = await asServiceUser(
    { command: process.execPath, args: [...NODE_FLAGS, POSTHOUSE, "rehearse-upgrade"] },
    { paths: [process.execPath, POSTHOUSE, join(folder, "data")], deathSignal: "TERM" },
  );
  const child = spawn(command, args, {
    env: { ...process.env, DATABASE_URL: "", POSTHOUSE_DATA: dataFolder },
    // It reports on the last one.
    stdio: ["pipe", json ? 2 : "inherit", "inherit", "pipe"],
  });
  writeInput(child, url);
  const [code, report] = await Promise.all([exitCodeOf(child), text(child.stdio[3] as Readable)]);
  if (code !== 0) throw new ShownFailure();
  return JSON.parse(report) as Rehearsal;
}

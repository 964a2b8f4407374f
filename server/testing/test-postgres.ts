import { join } from "node:path";

import {
  createTestFolder,
  deleteAbandonedFolders,
  deleteTestFolder,
  EPHEMERAL,
} from "#server/cli/test-server/test-folder.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { acquireRunLock } from "#server/processes/run-lock.ts";

import { createTemplate } from "./databases.ts";

/**
 * Starts Postgres for a test run, with a template database that the tests copy. It is in memory if there is room, because
 * every copy is several hundred files.
 *
 * @param prepare migrates the template
 * @returns stops it and deletes its data
 */
export async function startTestPostgres(
  prepare: (url: string) => Promise<void>,
): Promise<() => Promise<void>> {
  await deleteAbandonedFolders();
  const folder = await createTestFolder();
  // Other runs don't delete a locked folder.
  const lock = await acquireRunLock(folder, { waitMs: 0 });
  const server = await startEmbeddedPostgres({
    folder: join(folder, "postgres"),
    settings: EPHEMERAL,
  });
  const stop = async () => {
    await server.stop();
    lock?.release();
    await deleteTestFolder(folder);
  };
  try {
    await createTemplate(server.url, prepare);
  } catch (error) {
    await stop();
    throw error;
  }
  process.env.POSTHOUSE_TEST_SERVER = server.url;
  return stop;
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { vi } from "vitest";

import { redirectLogs } from "#server/processes/logger.ts";

import { waitPatiently } from "./patience.ts";

/**
 * Prepares this process for a test file: a data folder of its own, logs and waits for tests.
 *
 * @returns what undoes it after the file. The next file of this process loads every module of the project again, so
 *   that no state of this file reaches it.
 */
export function beginFile(databaseUrl: string): () => void {
  const environment = { ...process.env };
  const dataFolder = mkdtempSync(join(tmpdir(), "posthouse-data-"));
  Object.assign(process.env, { DATABASE_URL: databaseUrl, POSTHOUSE_DATA: dataFolder });
  // Log through the console, because vitest attributes console lines to tests.
  // oxlint-disable-next-line eslint/no-console
  redirectLogs({ write: (line) => console.log(line.trimEnd()), flushSync: () => {} });
  const waitBriefly = waitPatiently();

  return () => {
    rmSync(dataFolder, { recursive: true, force: true });
    // A line after the last test would fail the run, because vitest has closed its channel by then.
    redirectLogs({ write: () => {}, flushSync: () => {} });
    waitBriefly();
    vi.useRealTimers();
    for (const name of Object.keys(process.env))
      if (!(name in environment)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
    vi.resetModules();
  };
}

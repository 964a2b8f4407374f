import { pino } from "pino";

import { db } from "#server/db/pool.ts";
import { importDue } from "#worker/imports/run-import.ts";

/** Runs all imports that are due, as the importer does. */
export const runImports = () =>
  importDue(db(), { log: pino({ level: "silent" }), signal: new AbortController().signal });

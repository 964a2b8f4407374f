import { join } from "node:path";

import { BackupError } from "#server/backup/backup-error.ts";
import { RepositoryError } from "#server/backup/repository.ts";
import { ResticError } from "#server/backup/restic.ts";
import { config, ConfigError } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { InstanceKeyError } from "#server/core/shared/secrets/instance-key.ts";
import { NewerSchemaError } from "#server/db/newer-schema-error.ts";
import { openLogFile } from "#server/processes/log-file.ts";

import { CommandError } from "./command-error.ts";
import { ShownFailure } from "./shown-failure.ts";

/** Postgres' error code for a missing table. */
const UNDEFINED_TABLE = "42P01";

/** Errors whose message alone is enough for the operator. */
const EXPLAINED = [
  ...[ConfigError, Refusal, CommandError, InstanceKeyError, NewerSchemaError],
  ...[BackupError, RepositoryError, ResticError],
];

/** Explains in one line why a command failed; null if that was already shown. Stack traces go to the log. */
export function explainFailure(error: unknown): string | null {
  if (error instanceof ShownFailure) return null;
  if (EXPLAINED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (codesOf(error).includes(UNDEFINED_TABLE))
    return "the database does not have this version's schema: run `posthouse migrate`";
  const where = keepStack(error);
  const reason = error instanceof Error ? error.message.split("\n")[0]! : String(error);
  return where ? `${reason} (details in ${where})` : reason;
}

/** Drizzle wraps Postgres' errors. */
function codesOf(error: unknown): unknown[] {
  const codes: unknown[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each) codes.push(each.code);
  return codes;
}

function keepStack(error: unknown): string | null {
  try {
    const file = join(config().dataFolder, "logs/posthouse.log");
    const err = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const entry = { name: "posthouse", level: 50, time: Date.now(), msg: "command failed", err };
    openLogFile(file).append(JSON.stringify(entry));
    return file;
  } catch {
    // The data folder may not be writable, which may be why the command failed.
    return null;
  }
}

import { BackupError } from "#server/backup/layout.ts";
import { RepositoryError } from "#server/backup/repository.ts";
import { ResticError } from "#server/backup/restic.ts";
import { ConfigError } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { InstanceKeyError } from "#server/core/shared/secrets/instance-key.ts";
import { NewerSchemaError } from "#server/db/schema-version.ts";
import { loggableError } from "#server/processes/loggable-error.ts";

import { CommandError } from "./command-error.ts";
import { ShownFailure } from "./shown-failure.ts";

/** Postgres' error code for a missing table. */
const UNDEFINED_TABLE = "42P01";

/** Errors whose message alone is enough for the operator. */
const EXPLAINED = [
  ConfigError,
  Refusal,
  CommandError,
  InstanceKeyError,
  NewerSchemaError,
  BackupError,
  RepositoryError,
  ResticError,
];

/** Explains why a command failed: in one line, or with the stack of an unexpected error. Null if that was already shown. */
export function explainFailure(error: unknown): string | null {
  if (error instanceof ShownFailure) return null;
  if (EXPLAINED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (codesOf(error).includes(UNDEFINED_TABLE))
    return "the database does not have this version's schema: run `posthouse migrate`";
  const { message, stack } = loggableError(error);
  return `${message.split("\n")[0]!}\n${stack}`.trimEnd();
}

/** Drizzle wraps Postgres' errors. */
function codesOf(error: unknown): unknown[] {
  const codes: unknown[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each) codes.push(each.code);
  return codes;
}

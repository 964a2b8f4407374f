import { BackupError } from "#server/backup/layout.ts";
import { RepositoryError } from "#server/backup/repository.ts";
import { ResticError } from "#server/backup/restic.ts";
import { ConfigError } from "#server/config.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { InstanceKeyError } from "#server/core/shared/secrets/instance-key.ts";
import { NewerSchemaError } from "#server/db/schema-version.ts";
import { loggableError } from "#server/processes/loggable-error.ts";

import { posthouseCommand } from "./commands/posthouse-command.ts";
import { terminalText } from "./display.mjs";
import { CommandError, ShownFailure } from "./failures.ts";

// Without an error listener, Node exits when its output can't be written (closed pipe, full disk). The
// appliance must survive that.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

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

try {
  await posthouseCommand().parseAsync();
} catch (error) {
  const message = explainCommandFailure(error);
  if (message !== null) console.error(`posthouse: ${terminalText(message)}`);
  process.exitCode = 1;
}

// Handles left open by a failed start must not keep a finished command alive.
process.exit();

/** Explains why a command failed: in one line, or with the stack of an unexpected error. Null if that was already shown. */
export function explainCommandFailure(error: unknown): string | null {
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

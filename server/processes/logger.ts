import { pino, type Logger } from "pino";

import { loggableError } from "./loggable-error.ts";
import { type LogOutput, standardOutput } from "./log-output.ts";

/** Shared by all loggers, to keep lines in order. */
let output: LogOutput | undefined;

const destination: LogOutput = {
  write: (line) => (output ??= standardOutput()).write(line),
  flushSync: () => output?.flushSync(),
};

/** Redirects all loggers of this process, including existing ones, to another output. */
export function redirectLogs(to: LogOutput): void {
  output = to;
}

/** Creates a logger that writes JSON lines to standard output. Never log bodies, secrets or recipients. */
export function createLogger(name: string): Logger {
  return pino(
    {
      base: { name },
      redact: ["authorization", "password", "token", "cookie"],
      serializers: { err: loggableError },
    },
    destination,
  );
}

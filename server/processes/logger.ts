import { pino, type Logger } from "pino";

import { loggableError } from "./loggable-error.ts";
import { type LogOutput, standardOutput } from "./log-output.ts";

/** One for all loggers of a process, so that their lines keep their order. */
let output: LogOutput | undefined;

const destination: LogOutput = {
  write: (line) => (output ??= standardOutput()).write(line),
  flushSync: () => output?.flushSync(),
};

/** Redirects all loggers of this process, including existing ones, to another output. */
export function redirectLogs(to: LogOutput): void {
  output = to;
}

/** The log of one process or part: JSON lines on standard output. Bodies, secrets and recipients never go in. */
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

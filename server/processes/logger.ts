import { pino, type Logger } from "pino";

/** The log of one process or part: JSON lines on standard output. Bodies, secrets and recipients never go in. */
export function createLogger(name: string): Logger {
  return pino({ base: { name }, redact: ["authorization", "password", "token", "cookie"] });
}

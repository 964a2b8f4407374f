/** An error as the log shows it. */
export type LoggableError = {
  type: string;
  message: string;
  stack: string;
  code?: unknown;
  cause?: LoggableError | undefined;
};

/**
 * Removes values from an error for the log. Database errors contain parameters and rows, such as addresses and bodies; only
 * names, messages, codes and stack frames are kept.
 */
export function loggableError(error: unknown): LoggableError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: "" };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    type: error.constructor.name,
    message: error.message.split("\nparams: ")[0]!,
    stack: frames.join("\n"),
    ...("code" in error && { code: error.code }),
    ...(error.cause !== undefined && { cause: loggableError(error.cause) }),
  };
}

import { ConsoleError, NoAnswerInTime } from "#app/console/console-client.ts";
import { PasskeyFailure } from "#app/console/passkeys.ts";

/** Why nothing came of it, and what to do, for who asked for it. */
export function errorMessage(error: Error): string {
  if (error instanceof ConsoleError) return `${error.message}.`;
  if (error instanceof PasskeyFailure) return error.message;
  if (error instanceof NoAnswerInTime)
    return "The server took too long to answer. It may have been done all the same: look before you try again.";
  return "The server cannot be reached. Check your connection.";
}

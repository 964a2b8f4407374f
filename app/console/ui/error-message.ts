import { ConsoleError, NoAnswerInTime } from "#app/console/console-client.ts";
import { PopUpBlocked } from "#app/console/pop-up-blocked.ts";
import { PasskeyFailure } from "#app/console/passkeys.ts";

/** What went wrong and what to do, for the admin. */
export function errorMessage(error: Error): string {
  if (error instanceof ConsoleError) return `${error.message}.`;
  if (error instanceof PasskeyFailure) return error.message;
  if (error instanceof PopUpBlocked)
    return "Your browser blocked the sign-in window. Allow pop-ups for this site, then try again.";
  if (error instanceof NoAnswerInTime)
    return "The server took too long to respond. Your change may still have been saved: check before you try again.";
  return "Can’t reach the server. Check your connection.";
}

/** An expected failure of a command; the message is shown to the user as it is. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** An expected failure of a command; the message is shown to the user as it is. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** A command has failed and has already shown why. */
export class ShownFailure extends Error {
  override name = "ShownFailure";
}

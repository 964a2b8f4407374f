/** What a command cannot do, in a sentence for the person who gave it. */
export class CommandError extends Error {
  override name = "CommandError";
}

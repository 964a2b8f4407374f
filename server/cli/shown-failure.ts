/** A command has failed and has already shown why. */
export class ShownFailure extends Error {
  override name = "ShownFailure";
}

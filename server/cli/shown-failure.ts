/** A command has failed and its display has said why. */
export class ShownFailure extends Error {
  override name = "ShownFailure";
}

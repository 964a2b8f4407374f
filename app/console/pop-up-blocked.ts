/** The browser didn't open a window. */
export class PopUpBlocked extends Error {
  override name = "PopUpBlocked";
}

/** A Sieve script's message is rejected permanently. */
export class SieveMailRejected extends Error {
  override name = "SieveMailRejected";
}

/** A message of a Sieve script that must not be sent, ever. */
export class SieveMailRejected extends Error {
  override name = "SieveMailRejected";
}

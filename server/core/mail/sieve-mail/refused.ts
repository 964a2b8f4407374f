/** A message of a Sieve script that must not be sent, ever. */
export class SieveMailRefused extends Error {
  override name = "SieveMailRefused";
}

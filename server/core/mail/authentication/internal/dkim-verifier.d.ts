/** The part of mailauth's verifier that we extend; its package has no types for it. */
declare module "mailauth/lib/dkim/dkim-verifier.js" {
  import type { KeyObject } from "node:crypto";
  import type { Writable } from "node:stream";

  import type { ARCData, DKIMResult, DNSResolver } from "mailauth";

  export type SignatureField = {
    type: "DKIM" | "ARC";
    /** Tags by lowercase name. Whitespace is removed from `h`. */
    parsed: Record<string, { value?: unknown } | undefined>;
    /** Why the signature isn't checked. It stays in the header that other signatures are checked with. */
    skip?: string;
  };

  /** A public key from DNS, as `crypto.verify` accepts it. */
  export type PublicKey = { publicKey: string | KeyObject };

  export class DkimVerifier extends Writable {
    constructor(options: { resolver: DNSResolver });
    readonly results: DKIMResult[];
    readonly arc: ARCData;
    /** Also looks up the keys of the ARC chain. */
    readonly keyCache: {
      get(
        type: string,
        name: string,
        bitsMin: number | undefined,
        options: { strict?: boolean; hashAlgo?: string },
      ): Promise<PublicKey>;
    };
    prepareSignature(signature: SignatureField): void;
  }
}

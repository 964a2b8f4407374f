import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";

import { type DkimKey, dkimKeys } from "#drizzle/schema/index.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** RFC 8301, 3.2: signers should use at least 2048 bits; more does not fit one DNS string comfortably. */
const MODULUS_BITS = 2048;

/**
 * Makes a signing key for a domain and stores it; the newest key of a domain is the one that signs.
 * The selector is new each time, so that the record of an older key may stay published.
 */
export async function createDkimKey(db: Db, domainId: string): Promise<DkimKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const [key] = await db
    .insert(dkimKeys)
    .values({
      domainId,
      selector: `ph1-${randomBytes(4).toString("hex")}`,
      sealedPrivateKey: seal(privateKey),
      publicKey: publicKey.toString("base64"),
    })
    .returning();
  return key!;
}

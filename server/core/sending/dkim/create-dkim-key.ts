import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";

import { type DkimKey, dkimKeys } from "#drizzle/schema/index.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** RFC 8301, 3.2: at least 2048 bits; longer keys need several DNS strings. */
const MODULUS_BITS = 2048;

/**
 * Creates and stores a signing key for a domain; the newest key signs. Each key has its own selector, so that
 * older records can stay published.
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

import { generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";

import { type DkimKey, dkimKeys } from "#drizzle/schema/index.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** RFC 8301, 3.2: at least 2048 bits; longer keys need several DNS strings. */
const MODULUS_BITS = 2048;

type NewKey = {
  algorithm?: DkimKey["algorithm"];
  state?: "active" | "next";
  /** Signs at once, for domains whose records aren't checked before they send. */
  isSeen?: boolean;
};

/**
 * Creates and stores a signing key for a domain. Each key has its own selector, so that older records can
 * stay published.
 *
 * @returns null if the domain already has a key of this algorithm and state
 */
export async function createDkimKey(
  db: Db,
  domainId: string,
  { algorithm = "rsa", state = "active", isSeen = false }: NewKey = {},
): Promise<DkimKey | null> {
  const { publicKey, privateKey } = await generateKey(algorithm);
  const [key] = await db
    .insert(dkimKeys)
    .values({
      ...{ domainId, algorithm, state, publicKey },
      selector: `${SELECTOR_PREFIX[algorithm]}-${randomBytes(4).toString("hex")}`,
      sealedPrivateKey: seal(
        "dkim_key",
        privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      ),
      seenAt: isSeen ? new Date().toISOString() : null,
    })
    .onConflictDoNothing()
    .returning();
  return key ?? null;
}

const SELECTOR_PREFIX = { rsa: "ph1", ed25519: "ph2" };

async function generateKey(algorithm: DkimKey["algorithm"]) {
  const { publicKey, privateKey } =
    algorithm === "rsa"
      ? await promisify(generateKeyPair)("rsa", { modulusLength: MODULUS_BITS })
      : await promisify(generateKeyPair)("ed25519");
  return { publicKey: recordValue(publicKey), privateKey };
}

/** RFC 8463, 4.2: an Ed25519 key is published without the wrapping of a SubjectPublicKeyInfo. */
function recordValue(key: KeyObject): string {
  const { x } = key.export({ format: "jwk" });
  return key.asymmetricKeyType === "ed25519"
    ? Buffer.from(x!, "base64url").toString("base64")
    : key.export({ type: "spki", format: "der" }).toString("base64");
}

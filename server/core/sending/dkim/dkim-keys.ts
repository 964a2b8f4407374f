import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { promisify } from "node:util";

import { and, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";

import { type DkimKey, dkimKeys, domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { trackingHostInUse } from "#server/core/platform/certificates/certificate-names.ts";
import { createTtlCache } from "#server/core/shared/caches.ts";
import { isOpenable, seal, unseal } from "#server/core/shared/secrets/seal.ts";
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
      domainId,
      algorithm,
      state,
      publicKey,
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

/** The TXT value of a key's record at `<selector>._domainkey.<domain>` (RFC 6376, 3.6.1; RFC 8463, 4). */
export function dkimRecord({
  algorithm,
  publicKey,
}: Pick<DkimKey, "algorithm" | "publicKey">): string {
  return `v=DKIM1; k=${algorithm}; p=${publicKey}`;
}

/** IDs of keys whose records were found, and of those that disappeared. */
type SeenKeys = { published: string[]; gone: string[] };

/**
 * Records which of a domain's keys are published. A next key that is becomes active, and its predecessor retires.
 * Runs in the caller's transaction, under the lock of the domain's row.
 *
 * @returns the keys that became active
 */
export async function markKeysSeen(
  db: Db,
  domainId: string,
  { published, gone }: SeenKeys,
): Promise<DkimKey[]> {
  const ofDomain = eq(dkimKeys.domainId, domainId);
  if (gone.length > 0)
    await db
      .update(dkimKeys)
      .set({ seenAt: null })
      .where(and(ofDomain, inArray(dkimKeys.id, gone), isNotNull(dkimKeys.seenAt)));
  if (published.length === 0) return [];
  const seen = await db
    .update(dkimKeys)
    .set({ seenAt: sql`clock_timestamp()` })
    .where(and(ofDomain, inArray(dkimKeys.id, published), isNull(dkimKeys.seenAt)))
    .returning();
  const next = seen.filter(({ state }) => state === "next");
  for (const { id, algorithm } of next) {
    await db
      .update(dkimKeys)
      .set({ state: "retired", retiredAt: sql`clock_timestamp()` })
      .where(and(ofDomain, eq(dkimKeys.algorithm, algorithm), eq(dkimKeys.state, "active")));
    await db.update(dkimKeys).set({ state: "active" }).where(eq(dkimKeys.id, id));
  }
  return next;
}

/** How long a signature is valid (`x=`): longer than any server retries. */
export const SIGNATURE_DAYS = 7;

/** A day more: the record of a retired key must outlast the last signature made with it. */
export const RETIRED_KEY_DAYS = SIGNATURE_DAYS + 1;

/** Deletes retired keys whose signatures have all expired. */
export async function deleteRetiredKeys(db: Db): Promise<void> {
  await db
    .delete(dkimKeys)
    .where(
      and(
        eq(dkimKeys.state, "retired"),
        lt(
          dkimKeys.retiredAt,
          sql`statement_timestamp() - make_interval(days => ${RETIRED_KEY_DAYS})`,
        ),
      ),
    );
}

/**
 * Returns why a domain's mail can't be signed, or null if it can.
 *
 * @param sealedKey the domain's active RSA key; null when it has none
 */
export function signingProblem(sealedKey: string | null): string | null {
  if (sealedKey === null) return "The sending domain has no DKIM key";
  return isOpenable("dkim_key", sealedKey)
    ? null
    : "The DKIM key of the sending domain can't be opened";
}

const TTL_MS = 30_000;
const ENTRIES_MAX = 5_000;

/**
 * Caches signing keys by domain id for 30 seconds, so a rotated key takes effect by then. Missing and broken
 * keys aren't cached.
 */
export class SigningKeyCache {
  readonly #keys = createTtlCache<SigningDomain>({ max: ENTRIES_MAX, ttlMs: TTL_MS });
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Like `loadSigningDomains`, but queries only domains that aren't cached. */
  async load(domainIds: string[]): Promise<Map<string, SigningDomain | Error>> {
    const start = this.#keys.perf.now();
    const found = new Map<string, SigningDomain | Error>();
    const missing: string[] = [];
    for (const domainId of new Set(domainIds)) {
      const key = this.#keys.get(domainId);
      if (key) found.set(domainId, key);
      else missing.push(domainId);
    }
    if (missing.length > 0)
      for (const [domainId, key] of await loadSigningDomains(this.#db, missing)) {
        found.set(domainId, key);
        if (!(key instanceof Error)) this.#keys.set(domainId, key, { start });
      }
    return found;
  }
}

/** An RSA or Ed25519 key. */
type SigningKey = { selector: string; privateKey: KeyObject };

/** What a domain's mail is signed and sent with. */
export type SigningDomain = {
  domain: string;
  /** Those whose records were seen in DNS: RSA first; possibly none. */
  keys: SigningKey[];
  /** The domain of envelope senders; null for the appliance's hostname. */
  returnPath: string | null;
  /** The host of tracking and unsubscribe links; null for that of POSTHOUSE_URL. */
  trackingHost: string | null;
};

/**
 * Loads the active keys of each domain, by domain id. Domains without a key are absent. A key that can't be
 * opened yields an error, so that the others still load.
 */
export async function loadSigningDomains(
  db: Db,
  domainIds: string[],
): Promise<Map<string, SigningDomain | Error>> {
  const rows = await db
    .select({
      domainId: dkimKeys.domainId,
      domain: domains.name,
      selector: dkimKeys.selector,
      sealedPrivateKey: dkimKeys.sealedPrivateKey,
      isSeen: sql<boolean>`${dkimKeys.seenAt} is not null`,
      // A company that lost the name to another one no longer receives its bounces there.
      returnPath: sql<string | null>`case when ${domains.ownershipProvenAt} is not null
        then ${domains.returnPath} end`,
      trackingHost: trackingHostInUse(config()),
    })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .where(and(inArray(dkimKeys.domainId, domainIds), eq(dkimKeys.state, "active")))
    .orderBy(dkimKeys.domainId, dkimKeys.algorithm);
  const found = new Map<string, SigningDomain | Error>();
  for (const { domainId, domain, returnPath, trackingHost, isSeen, ...stored } of rows) {
    const known = found.get(domainId) ?? { domain, returnPath, trackingHost, keys: [] };
    const key = isSeen ? openKey(stored, domain) : null;
    if (key instanceof Error) found.set(domainId, key);
    else if (!(known instanceof Error))
      found.set(domainId, { ...known, keys: key ? [...known.keys, key] : known.keys });
  }
  return found;
}

function openKey(
  { selector, sealedPrivateKey }: { selector: string; sealedPrivateKey: string },
  domain: string,
): SigningKey | Error {
  try {
    return { selector, privateKey: createPrivateKey(unseal("dkim_key", sealedPrivateKey)) };
  } catch (cause) {
    return new Error(`The DKIM key ${selector} of ${domain} cannot be used`, { cause });
  }
}

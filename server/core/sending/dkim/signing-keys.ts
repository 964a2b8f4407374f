import { createPrivateKey, type KeyObject } from "node:crypto";

import { and, eq, inArray, sql } from "drizzle-orm";

import { dkimKeys, domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { trackingHostInUse } from "#server/core/platform/certificates/certificate-names.ts";
import { createTtlCache } from "#server/core/shared/caches.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

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

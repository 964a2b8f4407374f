import { createSecureContext, type SecureContext } from "node:tls";

import { and, eq, gt, isNotNull, sql } from "drizzle-orm";

import { certificates } from "#drizzle/schema/index.ts";
import type { Config } from "#server/config.ts";
import { type Certificate, writeIssued } from "#server/core/platform/tls/certificate.ts";
import { createTtlCache, PromiseCache } from "#server/core/shared/caches.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { requestCertificate } from "./certificate-names.ts";

/** Identifies the state of all issued certificates: it changes when one is issued or deleted. */
async function certificatesVersion(db: Db): Promise<string> {
  const [row] = await db.execute<{ version: string }>(sql`
    select count(*) || ' ' || coalesce(max(issued_at)::text, '') as version
    from certificates where issued_at is not null`);
  return row!.version;
}

/** The names that have a certificate, with the time it was issued. */
async function listIssuedNames(db: Db): Promise<Map<string, string>> {
  const rows = await db
    .select({ name: certificates.name, issuedAt: certificates.issuedAt })
    .from(certificates)
    .where(isNotNull(certificates.issuedAt));
  return new Map(rows.map(({ name, issuedAt }) => [name, issuedAt!]));
}

/** Whether an authority issued a certificate for the name that is still valid. */
export async function hasValidCertificate(db: Db, name: string): Promise<boolean> {
  const [row] = await db
    .select({ name: certificates.name })
    .from(certificates)
    .where(and(eq(certificates.name, name), gt(certificates.notAfter, sql`statement_timestamp()`)));
  return row !== undefined;
}

/** The certificate of a name; null if none has been issued. */
export async function findCertificate(db: Db, name: string): Promise<Certificate | null> {
  const [row] = await db
    .select({ chain: certificates.chain, sealed: certificates.sealedPrivateKey })
    .from(certificates)
    .where(eq(certificates.name, name));
  if (!row?.chain || !row.sealed) return null;
  return { certificate: row.chain, key: unseal("certificate_key", row.sealed) };
}

/** Stores an issued certificate in place of the last one. */
export async function storeCertificate(
  db: Db,
  name: string,
  { certificate, key, notAfter, renewAt }: Certificate & { notAfter: Date; renewAt: Date },
): Promise<void> {
  await db
    .update(certificates)
    .set({
      chain: certificate,
      sealedPrivateKey: seal("certificate_key", key),
      issuedAt: sql`clock_timestamp()`,
      notAfter: notAfter.toISOString(),
      nextAttemptAt: renewAt.toISOString(),
      failures: 0,
      problem: null,
    })
    .where(eq(certificates.name, name));
}

/** Poll interval. Short, because an admin may be waiting for the first certificate. */
const LOOK_EVERY_MS = 5_000;

/** A context takes some 50 KB. */
const CONTEXTS_MAX = 500;

/** Per name: how often a handshake may ask for a certificate. */
const REQUEST_EVERY_MS = 60_000;

const REQUESTED_MAX = 10_000;

/** For all names and clients together. */
const REQUEST_PAUSE_MS = 100;

type SniCallback = (
  name: string,
  done: (error: Error | null, context?: SecureContext) => void,
) => void;

/**
 * The issued certificates, for TLS listeners that choose by the name that a client asks for (SNI, RFC 6066). The names
 * are kept in memory, so that unknown ones cost no query; certificates are loaded when they are asked for.
 */
export type NamedCertificates = {
  /** For Node's TLS servers. Without a certificate for the name, the listener presents its default one. */
  sniCallback: SniCallback;
  /** The certificates of all names but the hostname. */
  loadAll(): Promise<Map<string, Certificate>>;
  stop(): void;
};

/**
 * Follows the certificates in the database until stopped, and keeps this host's copy of the hostname's (see
 * `loadIssued`) current.
 *
 * @param onChange called when a certificate was issued or deleted, and at the start if there is one
 */
export async function followCertificates(
  db: Db,
  {
    config: { hostname, dataFolder, tls, acme },
    onChange = () => {},
    onProblem,
    lookEveryMs = LOOK_EVERY_MS,
  }: {
    config: Pick<Config, "hostname" | "dataFolder" | "tls" | "acme">;
    onChange?: () => Promise<void> | void;
    onProblem: (problem: unknown) => void;
    lookEveryMs?: number;
  },
): Promise<NamedCertificates> {
  let names = new Map<string, string>();
  let version = "0 ";
  const contexts = new PromiseCache<SecureContext | null>({ max: CONTEXTS_MAX });
  const requested = createTtlCache<true>({ max: REQUESTED_MAX, ttlMs: REQUEST_EVERY_MS });
  const followed = {
    loadAll: async () => {
      const all = new Map<string, Certificate>();
      for (const name of names.keys()) {
        const found = name === hostname ? null : await findCertificate(db, name);
        if (found) all.set(name, found);
      }
      return all;
    },
  };

  const look = async () => {
    const current = await certificatesVersion(db);
    if (current === version) return;
    names = await listIssuedNames(db);
    if (!tls && names.has(hostname)) await copyOwn(db, { hostname, dataFolder });
    await onChange();
    version = current;
  };

  const contextOf = (name: string, issuedAt: string) =>
    contexts.get(`${name} ${issuedAt}`, async () => {
      const pair = await findCertificate(db, name);
      return pair && createSecureContext({ cert: pair.certificate, key: pair.key });
    });

  let requestedAt = -Infinity;
  const request = (name: string) => {
    const now = performance.now();
    if (requested.has(name) || now - requestedAt < REQUEST_PAUSE_MS) return;
    requested.set(name, true);
    requestedAt = now;
    requestCertificate(db, name).catch(onProblem);
  };

  const sniCallback: SniCallback = (asked, done) => {
    const name = asked.toLowerCase();
    // The default certificate of all listeners is the hostname's.
    if (name === hostname) return done(null);
    const issuedAt = names.get(name);
    if (issuedAt === undefined) {
      request(name);
      return done(null);
    }
    contextOf(name, issuedAt).then(
      (context) => done(null, context ?? undefined),
      (error: unknown) => {
        onProblem(error);
        done(null);
      },
    );
  };

  if (!acme) return { ...followed, sniCallback: (_name, done) => done(null), stop: () => {} };
  await look().catch(onProblem);
  const watching = runLoop(look, {
    pauseMs: lookEveryMs,
    firstPauseMs: lookEveryMs,
    ref: false,
    onError: (problem, failures) => {
      if (failures === 1) onProblem(problem);
    },
  });
  return { ...followed, sniCallback, stop: () => void watching.stop() };
}

async function copyOwn(
  db: Db,
  { hostname, dataFolder }: { hostname: string; dataFolder: string },
): Promise<void> {
  const pair = await findCertificate(db, hostname);
  if (pair) writeIssued(dataFolder, pair);
}

import { createSecureContext, type SecureContext } from "node:tls";

import type { Config } from "#server/config.ts";
import type { Certificate } from "#server/core/platform/tls/check-certificate.ts";
import { writeIssued } from "#server/core/platform/tls/issued.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import { createTtlCache } from "#server/core/shared/ttl-cache.ts";
import type { Db } from "#server/db/client.ts";
import { runLoop } from "#server/processes/run-loop.ts";

import { requestCertificate } from "./certificate-names.ts";
import { certificatesVersion, findCertificate, listIssuedNames } from "./stored-certificates.ts";

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
    ...{ pauseMs: lookEveryMs, firstPauseMs: lookEveryMs, ref: false },
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

import { X509Certificate } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import type { Logger } from "pino";

import { certificates } from "#drizzle/schema/index.ts";
import type { Acme, Config } from "#server/config.ts";
import { countAlive } from "#server/core/platform/processes/processes.ts";
import { tryLockConnection } from "#server/db/advisory-locks.ts";
import { connect, type Db } from "#server/db/client.ts";
import { AcmeError, type Challenge, orderCertificate } from "#server/gateways/acme.ts";
import { runDnsHook } from "#server/gateways/dns-hook.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import {
  type ChallengePorts,
  chooseChallenges,
  deleteChallenges,
  findOrCreateAccount,
  publishChallenge,
  storeAccountUrl,
} from "./acme.ts";
import { syncCertificateNames } from "./certificate-names.ts";
import { storeCertificate } from "./stored-certificates.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const RENEW_BEFORE_MS = 30 * DAY_MS;

/** After each failed order in a row. At most four orders an hour: Let's Encrypt allows five failed ones. */
const RETRY_AFTER_MS = [1, 15, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE_MS);
const RATE_LIMITED_MS_MIN = HOUR_MS;
const RATE_LIMITED_MS_MAX = 7 * DAY_MS;

/** While a name's DNS or ports don't lead here, or the authority can't be reached. Retries cost the authority nothing. */
const OBSTACLE_RETRY_MS = { hostname: MINUTE_MS, others: HOUR_MS };

type RenewalOptions = {
  config: Pick<Config, "hostname" | "baseUrl" | "tls" | "roles"> & {
    acme: Acme;
    databaseUrl: string;
  };
  resolver: Resolver;
  log: Logger;
  ports?: ChallengePorts;
  pollMs?: number;
  signal?: AbortSignal;
};

/**
 * Gets a certificate for every name that is due: without one, or 30 days before its expiry. One name after the
 * other, and in one worker at a time. A failed name is retried after minutes, later after hours, for as long as it
 * takes; its problem is stored for admins.
 */
export async function renewCertificates(db: Db, options: RenewalOptions): Promise<void> {
  const { config, signal } = options;
  await syncCertificateNames(db, config);
  if (!(await isAnyDue(db))) return;
  // At startup, the worker can be faster than the web process, which answers the authority.
  if (!config.acme.dnsHook && (await countAlive(db, "web")) === 0) return;
  const holder = connect(config.databaseUrl, { max: 1, idleSeconds: null });
  try {
    if (!(await tryLockConnection(holder.sql, "certificateOrders"))) return;
    while (!signal?.aborted) {
      const due = await leaseDueName(db, config.hostname);
      if (!due) return;
      await renew(db, due, options);
    }
  } finally {
    await holder.close();
  }
}

async function isAnyDue(db: Db): Promise<boolean> {
  const [row] = await db.execute<{ isDue: boolean }>(sql`
    select exists (select from certificates where next_attempt_at <= statement_timestamp())
      as "isDue"`);
  return row!.isDue;
}

type DueName = { name: string; failures: number };

/** The hostname first: mail apps need it. If the process dies, the name is due again in 15 minutes. */
async function leaseDueName(db: Db, hostname: string): Promise<DueName | null> {
  const [row] = await db.execute<DueName>(sql`
    update certificates set attempted_at = clock_timestamp(),
      next_attempt_at = clock_timestamp() + interval '15 minutes'
    where name = (
      select name from certificates where next_attempt_at <= statement_timestamp()
      order by name <> ${hostname}, next_attempt_at limit 1 for update skip locked
    )
    returning name, failures`);
  return row ?? null;
}

async function renew(db: Db, { name, failures }: DueName, options: RenewalOptions) {
  const { config, resolver, log, ports = { http: 80, tls: 443 } } = options;
  const choice = await chooseChallenges(name, {
    hostname: config.hostname,
    failures,
    hasDnsHook: config.acme.dnsHook !== null,
    resolver,
    ports,
  });
  const obstacleWaitMs = OBSTACLE_RETRY_MS[name === config.hostname ? "hostname" : "others"];
  if ("obstacle" in choice) {
    await storeProblem(db, name, { failures, problem: choice.obstacle, waitMs: obstacleWaitMs });
    return;
  }
  try {
    const { chain, key } = await order(db, name, choice.types, options);
    const { validFromDate, validToDate } = new X509Certificate(chain);
    const lifetimeMs = validToDate.getTime() - validFromDate.getTime();
    // Some authorities issue certificates for days only.
    const renewBeforeMs = Math.min(RENEW_BEFORE_MS, lifetimeMs / 3);
    const renewAt = new Date(validToDate.getTime() - renewBeforeMs);
    await storeCertificate(db, name, { certificate: chain, key, notAfter: validToDate, renewAt });
    log.info({ name, validUntil: validToDate }, "a certificate was issued");
  } catch (error) {
    if (!(error instanceof AcmeError)) throw error;
    log.warn({ name, problem: error.message }, "couldn't get a certificate");
    if (error.problem === "accountDoesNotExist")
      await storeAccountUrl(db, config.acme.directoryUrl, null);
    const problem = error.message;
    if (error.isUnreachable)
      await storeProblem(db, name, { failures, problem, waitMs: obstacleWaitMs });
    else
      await storeProblem(db, name, {
        failures: failures + 1,
        problem,
        waitMs: retryDelay(failures, error),
      });
  }
}

async function order(
  db: Db,
  name: string,
  types: Parameters<typeof orderCertificate>[0]["types"],
  { config: { acme }, resolver, pollMs }: RenewalOptions,
) {
  const account = await findOrCreateAccount(db, acme.directoryUrl);
  const cleanups: (() => Promise<void>)[] = [() => deleteChallenges(db, name)];
  try {
    return await orderCertificate({
      directoryUrl: acme.directoryUrl,
      email: acme.email,
      binding: acme.binding,
      accountKey: account.key,
      accountUrl: account.url,
      names: [name],
      types,
      resolver,
      ...(pollMs !== undefined && { pollMs }),
      onAccount: (url) => storeAccountUrl(db, acme.directoryUrl, url),
      publish: async (challenge) => {
        const cleanUp = await publish(db, challenge, acme);
        if (cleanUp) cleanups.push(cleanUp);
      },
    });
  } finally {
    for (const cleanUp of cleanups) await cleanUp();
  }
}

/** Returns what undoes it, unless `deleteChallenges` does. */
async function publish(db: Db, challenge: Challenge, { dnsHook }: Acme) {
  const { name, token, type } = challenge;
  if (type === "dns-01") {
    const record = { name: `_acme-challenge.${name}`, text: challenge.text };
    await runDnsHook(dnsHook!, "present", record);
    // A record that stays doesn't harm.
    return () => runDnsHook(dnsHook!, "cleanup", record).catch(() => {});
  }
  const answer = type === "http-01" ? challenge.body : challenge.pem;
  await publishChallenge(db, { name, token, type, answer });
  return null;
}

function retryDelay(failures: number, { problem, retryAfterMs }: AcmeError): number {
  const waitMs = RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length - 1)]!;
  if (problem !== "rateLimited") return Math.max(waitMs, Math.min(retryAfterMs, DAY_MS));
  return Math.min(Math.max(waitMs, retryAfterMs, RATE_LIMITED_MS_MIN), RATE_LIMITED_MS_MAX);
}

async function storeProblem(
  db: Db,
  name: string,
  { failures, problem, waitMs }: { failures: number; problem: string; waitMs: number },
): Promise<void> {
  await db
    .update(certificates)
    .set({
      failures,
      problem,
      nextAttemptAt: sql`clock_timestamp() + make_interval(secs => ${waitMs / 1000})`,
    })
    .where(eq(certificates.name, name));
}

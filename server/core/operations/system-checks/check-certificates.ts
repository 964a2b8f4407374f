import { X509Certificate } from "node:crypto";

import { sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import { isFromAuthority, loadCertificate } from "#server/core/platform/tls/certificate.ts";
import { pluralize } from "#server/core/shared/text.ts";
import type { Db } from "#server/db/client.ts";

import { failed, type Finding, ok, warning } from "./finding.ts";

const PART = "certificate";
const DAY_MS = 86_400_000;
/** Certificates are renewed 30 days ahead, so fewer days mean that renewal fails. */
const ALARM_MS = 14 * DAY_MS;
/** Names listed in a finding. */
const NAMES_SHOWN = 5;
/** An order may fail once because of the network. */
const FAILURES_REPORTED = 3;

type Settings = Pick<Config, "dataFolder" | "hostname" | "tls" | "acme" | "localMode">;

/**
 * Checks that the certificate of the hostname is trusted and valid for two more weeks, and the certificates that
 * Posthouse renews for other names.
 */
export async function checkCertificates(db: Db, config: Settings, now: Date): Promise<Finding[]> {
  const own = await checkOwn(db, config, now);
  return config.acme ? [own, ...(await checkOthers(db, config, now))] : [own];
}

async function checkOwn(db: Db, config: Settings, now: Date): Promise<Finding> {
  try {
    const pair = await loadCertificate(config, now);
    const parsed = new X509Certificate(pair.certificate);
    if (!parsed.checkHost(config.hostname))
      return warning(
        PART,
        `The certificate isn't valid for ${config.hostname}`,
        "Mail apps show a warning. Use a certificate for this hostname",
      );
    const isSelfSigned = !isFromAuthority(pair);
    const kind = isSelfSigned && !config.tls ? "Self-signed certificate" : "Certificate";
    const leftMs = parsed.validToDate.getTime() - now.getTime();
    const lifetimeMs = parsed.validToDate.getTime() - parsed.validFromDate.getTime();
    const found = `${kind} for ${config.hostname}, expires in ${pluralize(Math.floor(leftMs / DAY_MS), "day")}`;
    if (leftMs < alarmMs(lifetimeMs)) return warning(PART, found, await renewalAdvice(db, config));
    if (config.tls || config.localMode || !isSelfSigned) return ok(PART, found);
    return warning(
      PART,
      found,
      `Mail apps and browsers show a warning. ${await renewalAdvice(db, config)}`,
    );
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return failed(PART, found, await renewalAdvice(db, config));
  }
}

/** Some authorities issue certificates for days only. */
const alarmMs = (lifetimeMs: number) => Math.min(ALARM_MS, lifetimeMs / 6);

async function renewalAdvice(db: Db, { tls, acme, hostname }: Settings): Promise<string> {
  if (tls) return "Renew the certificate (POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY)";
  if (!acme)
    return "Set POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY to the files of a certificate, or remove POSTHOUSE_ACME=off to get one automatically";
  const [row] = await db.execute<{ problem: string | null }>(
    sql`select problem from certificates where name = ${hostname}`,
  );
  if (row?.problem) return `Posthouse couldn't get one: ${row.problem}. It retries automatically`;
  return "Posthouse gets one as soon as a worker runs; check again in a minute";
}

type Troubled = { name: string; problem: string; isExpiring: boolean };

/** A name whose DNS was never set up is no problem: publishing it is up to the domain's owner. */
async function checkOthers(db: Db, { hostname }: Settings, now: Date): Promise<Finding[]> {
  const troubled = await db.execute<Troubled>(sql`
    select name, coalesce(problem, 'the worker has not renewed it') as problem,
      issued_at is not null as "isExpiring"
    from certificates
    where name <> ${hostname} and case
      when issued_at is null then failures >= ${FAILURES_REPORTED}
      else not_after - ${now.toISOString()}::timestamptz
        < least(interval '14 days', (not_after - issued_at) / 6)
    end
    order by not_after nulls last, name limit ${NAMES_SHOWN}`);
  return troubled.map(({ name, problem, isExpiring }) =>
    warning(
      PART,
      isExpiring
        ? `The certificate for ${name} isn't being renewed: ${problem}`
        : `There is no certificate for ${name}: ${problem}`,
      "Check that the name and ports 80 and 443 point to this server. Posthouse retries automatically",
    ),
  );
}

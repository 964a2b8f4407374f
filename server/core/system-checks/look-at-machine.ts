import { X509Certificate } from "node:crypto";
import { statfs } from "node:fs/promises";

import type { Config } from "#server/config.ts";
import { DISK_RESERVE_BYTES } from "#server/core/outbox/why-not-now.ts";
import { loadCertificate } from "#server/core/tls/certificate.ts";

import { failed, type Finding, ok, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
/** Authorities renew 30 days ahead: fewer than these mean that renewal fails. */
const CERTIFICATE_DAYS_MIN = 14;
const DISK_FREE_MIN_MB = 1_024;
const MB = 1024 * 1024;

/** Whether there is room for mail. */
export async function lookAtDisk({ dataFolder }: Pick<Config, "dataFolder">): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataFolder);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const found = `${(freeMb / 1024).toFixed(1)} GB free under ${dataFolder}`;
  const reserve = `nothing is taken on with less than ${DISK_RESERVE_BYTES / MB} MB free`;
  return freeMb < DISK_FREE_MIN_MB
    ? failed("disk", found, `Make room: ${reserve}`)
    : ok("disk", found);
}

/** Whether clients will still accept the certificate in two weeks. */
export async function lookAtCertificate(
  config: Pick<Config, "dataFolder" | "hostname" | "tls" | "localMode">,
  now: Date,
): Promise<Finding> {
  const part = "certificate";
  const advice = "Renew the files of POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY";
  try {
    const { certificate } = await loadCertificate(config, now);
    const parsed = new X509Certificate(certificate);
    const days = Math.floor((parsed.validToDate.getTime() - now.getTime()) / DAY_MS);
    const kind = config.tls ? "" : "self-signed, ";
    if (!parsed.checkHost(config.hostname))
      return warning(part, `not made for ${config.hostname}`, "Mail apps will warn of it");
    const found = `${kind}good for ${config.hostname} for ${days} days`;
    if (days < CERTIFICATE_DAYS_MIN) return warning(part, found, advice);
    if (config.tls || config.localMode) return ok(part, found);
    return warning(
      part,
      found,
      "Mail apps will warn of it: get one of an authority (Let’s Encrypt is free) and set POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY to its files",
    );
  } catch (error) {
    return failed(part, error instanceof Error ? error.message : String(error), advice);
  }
}

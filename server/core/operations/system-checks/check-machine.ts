import { X509Certificate } from "node:crypto";

import type { Config } from "#server/config.ts";
import { loadCertificate } from "#server/core/platform/tls/certificate.ts";
import { DISK_RESERVE_BYTES, freeBytesAt } from "#server/processes/disk-reserve.ts";

import { failed, type Finding, ok, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
// Certificates are usually renewed 30 days ahead, so fewer days mean that renewal fails.
const CERTIFICATE_DAYS_MIN = 14;
// Leaves time to act before mail is refused.
const DISK_WARNING_BYTES = 2 * DISK_RESERVE_BYTES;
const GB = 1024 ** 3;

/** Checks the free disk space: `failed` below the reserve, when no mail is accepted. */
export async function checkDisk({ dataFolder }: Pick<Config, "dataFolder">): Promise<Finding> {
  const free = await freeBytesAt(dataFolder);
  const found = `${formatGb(free)} free under ${dataFolder}`;
  const reserve = `below ${formatGb(DISK_RESERVE_BYTES)} no mail is accepted and mailboxes can't store messages`;
  if (free < DISK_RESERVE_BYTES) return failed("disk", found, `Free up disk space: ${reserve}`);
  if (free < DISK_WARNING_BYTES) return warning("disk", found, `Free up disk space: ${reserve}`);
  return ok("disk", found);
}

const formatGb = (bytes: number) => `${(bytes / GB).toFixed(2)} GB`;

/** Checks that the certificate is valid for the hostname for at least two more weeks. */
export async function checkCertificate(
  config: Pick<Config, "dataFolder" | "hostname" | "tls" | "localMode">,
  now: Date,
): Promise<Finding> {
  const part = "certificate";
  const advice = "Renew the certificate (POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY)";
  try {
    const { certificate } = await loadCertificate(config, now);
    const parsed = new X509Certificate(certificate);
    const days = Math.floor((parsed.validToDate.getTime() - now.getTime()) / DAY_MS);
    const kind = config.tls ? "Certificate" : "Self-signed certificate";
    if (!parsed.checkHost(config.hostname))
      return warning(
        part,
        `The certificate isn't valid for ${config.hostname}`,
        "Mail apps show a warning. Use a certificate for this hostname",
      );
    const found = `${kind} for ${config.hostname}, expires in ${days} days`;
    if (days < CERTIFICATE_DAYS_MIN) return warning(part, found, advice);
    if (config.tls || config.localMode) return ok(part, found);
    return warning(
      part,
      found,
      "Mail apps show a warning. Get a certificate from an authority (Let's Encrypt is free) and set POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY to its files",
    );
  } catch (error) {
    return failed(part, error instanceof Error ? error.message : String(error), advice);
  }
}

import { X509Certificate } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { statfs } from "node:fs/promises";

import type { Config } from "#server/config.ts";
import { loadCertificate } from "#server/core/tls/certificate.ts";

import { type Finding, ok, problem, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
/** Authorities renew 30 days ahead: fewer than these mean that renewal fails. */
const CERTIFICATE_DAYS_MIN = 14;
const DISK_FREE_MIN_MB = 1_024;
const DNS_TIMEOUT_MS = 3_000;

/** Whether there is room for mail. */
export async function lookAtDisk({ dataFolder }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataFolder);
  const freeMb = Math.floor((bavail * bsize) / 1024 / 1024);
  const found = `${(freeMb / 1024).toFixed(1)} GB free under ${dataFolder}`;
  return freeMb < DISK_FREE_MIN_MB
    ? problem("disk", found, "Make room: mail is refused before the disk is full")
    : ok("disk", found);
}

/** Whether clients will still accept the certificate in two weeks. */
export async function lookAtCertificate(config: Config, now: Date): Promise<Finding> {
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
    return days < CERTIFICATE_DAYS_MIN ? warning(part, found, advice) : ok(part, found);
  } catch (error) {
    return problem(part, error instanceof Error ? error.message : String(error), advice);
  }
}

/** Whether names of the outside world can be looked up. The sandbox does without. */
export async function lookAtDns({ dnsServers, localMode }: Config): Promise<Finding> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  if (dnsServers)
    resolver.setServers(dnsServers.map(({ address, port }) => withPort(address, port)));
  const servers = resolver.getServers().join(", ") || "no resolver";
  try {
    await resolver.resolveNs(".");
    return ok("DNS", `${servers} answers`);
  } catch (error) {
    const found = `${servers} does not answer (${codeOf(error)})`;
    const advice = "Mail to other hosts cannot leave: set POSTHOUSE_DNS to resolvers that answer";
    return localMode ? warning("DNS", found, advice) : problem("DNS", found, advice);
  }
}

const withPort = (address: string, port: number) =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

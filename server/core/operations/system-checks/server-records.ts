import type { Config } from "#server/config.ts";
import { signingKeyRecord } from "#server/core/shared/signatures/signing-key.ts";
import type { Db } from "#server/db/client.ts";
import { createResolver, type Resolver } from "#server/gateways/dns.ts";
import { outgoingAddresses } from "#server/gateways/outgoing-address.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { lookUpAddresses } from "./check-inbound-port.ts";
import { findMissingNoticeRecords } from "./check-notices.ts";
import { checkReverseDns, lookUpPublicAddresses } from "./check-reverse-dns.ts";
import { checkSigningKey } from "./check-signing-key.ts";
import { CHECKS, type CheckName, runCheckCombined } from "./checks.ts";
import { type KnownCheck, NOT_RUN } from "./run-checks.ts";

/** A DNS record that this server needs and DNS doesn't have. */
export type MissingRecord = {
  type: "A" | "AAAA" | "PTR" | "TXT";
  name: string;
  value: string;
  purpose: string;
};

type Sources = { config: Config; resolver: Resolver; addresses: string[] };

/** Includes the public addresses that other servers see, if this machine has them; none behind NAT. */
export const recordSources = async (config: Config): Promise<Sources> => ({
  config,
  resolver: createResolver(config),
  addresses: await outgoingAddresses(),
});

/** The records of this server that DNS doesn't have yet, in the order to publish them. */
export async function findMissingRecords(db: Db, sources: Sources): Promise<MissingRecord[]> {
  const { config, resolver } = sources;
  const notices = await findMissingNoticeRecords(db, config, resolver);
  return [
    ...(await missingHostRecords(sources)),
    ...notices.map(({ record, name, value }) => ({
      type: "TXT" as const,
      name,
      value,
      purpose: `${record} for emails that Posthouse itself sends`,
    })),
  ];
}

const missingHostRecords = async (sources: Sources): Promise<MissingRecord[]> => [
  ...(await missingAddresses(sources)),
  ...(await missingReverse(sources)),
];

/** The checks of a hostname that pass or fail before the server uses it. */
const PREVIEWED: readonly CheckName[] = ["dns", "reverse_dns", "port_out"];

/**
 * Checks whether this server, in local mode, could use a hostname. Stores nothing.
 *
 * @param sources of `config()`
 */
export async function previewHostname(
  db: Db,
  hostname: string,
  sources: Sources,
): Promise<{ records: MissingRecord[]; checks: KnownCheck[] }> {
  const baseUrl = `https://${hostname}`;
  const config = { ...sources.config, hostname, baseUrl, localMode: false };
  const around = { db, config, resolver: sources.resolver };
  const checks = CHECKS.filter(({ id }) => PREVIEWED.includes(id)).map(async (check) => ({
    ...NOT_RUN,
    ...(await runCheckCombined(check, around)),
    name: check.id,
    label: check.label,
    checkedAt: new Date().toISOString(),
  }));
  return {
    records: await missingHostRecords({ ...sources, config }),
    checks: await Promise.all(checks),
  };
}

/** An optional record of this server: nothing waits for it. */
export async function findOptionalRecords({ config, resolver }: Sources): Promise<MissingRecord[]> {
  const { state, advice } = await checkSigningKey(config, resolver);
  if (state === "ok" && !advice) return [];
  const purpose = "lets others verify delivery receipts and exported audit logs";
  return [{ type: "TXT", ...signingKeyRecord(), purpose }];
}

async function missingAddresses({ config, resolver, addresses }: Sources) {
  const { hostname } = config;
  const published = (await lookUpAddresses(resolver, hostname)) ?? [];
  const purpose = "other servers and mail apps find this server";
  if (addresses.length === 0)
    return published.some((address) => isPublicAddress(address))
      ? []
      : [{ type: "A" as const, name: hostname, value: "this server's public address", purpose }];
  const missing = addresses.filter((address) => !published.includes(address));
  return missing.map((value) => ({
    type: value.includes(":") ? ("AAAA" as const) : ("A" as const),
    name: hostname,
    value,
    purpose,
  }));
}

async function missingReverse({ config, resolver, addresses }: Sources): Promise<MissingRecord[]> {
  if (config.relay) return [];
  const missing: MissingRecord[] = [];
  const own =
    addresses.length > 0 ? addresses : await lookUpPublicAddresses(resolver, config.hostname);
  for (const address of own) {
    // Only the reverse name counts here: the address record is listed separately.
    const { state } = await checkReverseDns(config, resolver, [address]);
    if (state !== "ok")
      missing.push({
        type: "PTR",
        name: address,
        value: config.hostname,
        purpose: "set at your hosting provider; large providers reject mail without it",
      });
  }
  return missing;
}

import { setTimeout as sleep } from "node:timers/promises";

import type { Display } from "#server/cli/display.mjs";
import type { Config } from "#server/config.ts";
import { findMissingNoticeRecords } from "#server/core/operations/system-checks/check-notices.ts";
import { checkReverseDns } from "#server/core/operations/system-checks/check-reverse-dns.ts";
import { checkSigningKey } from "#server/core/operations/system-checks/check-signing-key.ts";
import { lookUpAddresses } from "#server/core/operations/system-checks/check-inbound-port.ts";
import { signingKeyRecord } from "#server/core/shared/signatures/signing-key.ts";
import type { Db } from "#server/db/client.ts";
import { createResolver, type Resolver } from "#server/gateways/dns.ts";
import { outgoingAddresses } from "#server/gateways/outgoing-address.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

const POLL_MS = 10_000;

/** A DNS record that this server needs and DNS doesn't have. */
export type MissingRecord = {
  type: "A" | "AAAA" | "PTR" | "TXT";
  name: string;
  value: string;
  purpose: string;
};

type Sources = { config: Config; resolver: Resolver; addresses: string[] };

/** The public addresses that other servers see, where this machine knows them; none behind NAT. */
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
    ...(await missingAddresses(sources)),
    ...(await missingReverse(sources)),
    ...notices.map(({ record, name, value }) => ({
      type: "TXT" as const,
      name,
      value,
      purpose: `${record} for emails that Posthouse itself sends`,
    })),
  ];
}

/** An optional record of this server. Nothing depends on it, so nothing waits for it. */
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
  for (const address of addresses) {
    // Only what the reverse name is counts here: the address record is listed separately.
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

/** Shows records as lines to copy. */
export function showRecords(display: Display, records: MissingRecord[]): void {
  for (const { type, name, value, purpose } of records) {
    display.line(`  ${display.bold(type.padEnd(5))} ${name}`);
    display.line(`        ${value}`);
    display.line(`        ${display.faint(purpose)}`);
  }
}

/**
 * Waits until DNS has all records, and shows each one when it is found.
 *
 * @returns the records that are still missing after the timeout
 */
export async function waitForRecords(
  missing: MissingRecord[],
  {
    find,
    display,
    timeoutMs,
    pollMs = POLL_MS,
  }: {
    find: () => Promise<MissingRecord[]>;
    display: Display;
    timeoutMs: number;
    pollMs?: number;
  },
): Promise<MissingRecord[]> {
  const deadline = performance.now() + timeoutMs;
  let left = missing;
  while (left.length > 0 && performance.now() + pollMs <= deadline) {
    await sleep(pollMs);
    const now = await find();
    const isMissing = (record: MissingRecord) =>
      now.some(
        ({ type, name, value }) =>
          type === record.type && name === record.name && value === record.value,
      );
    for (const record of left)
      if (!isMissing(record)) display.line(`${display.green("✓")} ${record.type} ${record.name}`);
    left = now;
  }
  return left;
}

import type { DnsFinding, Domain } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { Context } from "#server/core/shared/context.ts";
import { domainDns } from "#server/core/domains/domains/dns.ts";
import { isDkimRecord } from "#server/core/domains/records/dkim-records.ts";
import { isOnAllServers } from "#server/core/domains/records/evaluate-findings.ts";
import { evaluateRecord, readRecord } from "#server/core/domains/records/evaluate-record.ts";
import { recordPlaces } from "#server/core/domains/records/record-place.ts";
import { createDkimKey } from "#server/core/sending/dkim/create-dkim-key.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { createDnsClient } from "./internal/dns-for.ts";
import { rejectUnreliableDenials } from "./internal/reject-unreliable-denials.ts";
import { addSpfReadings } from "./internal/add-spf-readings.ts";
import { beginCheck, saveCheck, type StatusChange } from "./internal/save-check.ts";
import { type KnownDomain, toExpectation, loadDomain } from "./load-domain.ts";
import type { CheckMode } from "./internal/next-finding-state.ts";

type Options = {
  dns?: ZoneDns;
  /** How to treat a missing record (`nextFindingState`). */
  mode: CheckMode;
  /** Runs in the transaction that changes the status, with the updated domain. */
  onStatusChange?: StatusChange;
};

/**
 * Checks the records of one of the company's domains, except the ownership record. Stores the findings and, once
 * ownership is verified, updates the status. Must not run in a transaction, since it waits for the network. Safe to run concurrently: for
 * each record the check that started last wins.
 *
 * @returns the statuses before and after
 * @throws Refusal `not_found`, also if the domain is deleted meanwhile
 */
export async function checkRecords(
  ctx: Context,
  domainId: string,
  { dns = domainDns(), mode, onStatusChange }: Options,
): Promise<{ before: Domain["status"]; after: Domain["status"] }> {
  const known = await loadWithKeys(ctx, domainId);
  const startedAt = await beginCheck(ctx.db);
  const zone = createDnsClient(known, dns);
  const places = recordPlaces(known.domain, known.dkimKeys);
  const asked = await zone.askAll(places);
  const answers = mode === "recheck" ? asked.map(rejectUnreliableDenials) : asked;
  const expectation = toExpectation(known);
  const checked = await Promise.all(
    places.map(async ({ record, name }, at) => {
      const found = answers[at]!;
      const isSpf = record === "spf" || record === "return_path_spf";
      const read = isSpf ? await withSpf(zone, name, found) : found;
      const judgement = evaluateRecord(record, read, expectation);
      const key = isDkimRecord(record) ? known.dkimKeys[record] : undefined;
      if (!key) return { record, name, answers: read, judgement };
      const isEverywhere = isOnAllServers(read, (one) => readRecord(record, one, expectation));
      return { record, name, answers: read, judgement, key: { id: key.id, isEverywhere } };
    }),
  );
  return saveCheck(ctx, domainId, { mode, startedAt, checked, onStatusChange });
}

/** The first check creates the keys. Domains set up by earlier versions have no Ed25519 key yet. */
async function loadWithKeys(ctx: Context, domainId: string): Promise<KnownDomain> {
  const known = await loadDomain(ctx, domainId);
  const { dkim, dkim_ed25519: ed25519 } = known.dkimKeys;
  if (dkim && ed25519) return known;
  if (!dkim) await createDkimKey(ctx.db, domainId);
  if (!ed25519) await createDkimKey(ctx.db, domainId, { algorithm: "ed25519" });
  return loadDomain(ctx, domainId);
}

const withSpf = (dns: ZoneDns, domain: string, findings: DnsFinding[]) =>
  addSpfReadings(findings, { domain, hostname: config().hostname, resolver: dns.resolver });

import { asc, eq } from "drizzle-orm";

import {
  type DkimKey,
  dkimKeys,
  type DnsFinding,
  type Domain,
  type DomainFinding,
  domainFindings,
  type SpfReading,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";
import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import { ownMtaStsPolicy } from "#server/core/domains/mta-sts/policy.ts";
import {
  type DomainRecord,
  domainRecords,
  evaluateRecord,
  type Expectation,
  isDkimRecord,
  ownershipPlace,
  ownershipValue,
  type PublishedKeys,
  publishedKeys,
  readRecord,
  recordPlaces,
  type RecordSources,
} from "#server/core/domains/records/domain-records.ts";
import {
  isOnAllServers,
  type RecordPresence,
} from "#server/core/domains/records/evaluate-findings.ts";
import { isPublishable } from "#server/core/domains/records/publishable.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";
import { followSpf, isSpf } from "#server/core/domains/spf/spf.ts";
import { createDkimKey } from "#server/core/sending/dkim/dkim-keys.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { NO_TOP_LEVEL, type ZoneDns, type ZoneQuestion } from "#server/gateways/zone-dns.ts";

import { beginCheck, type CheckMode, saveCheck, type StatusChange } from "./internal/save-check.ts";

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

/**
 * Checks the ownership record of one of the company's domains and stores the findings; changes nothing else.
 * Must not run in a transaction, since it waits for the network.
 *
 * @returns whether it was found; false also if no server answered
 */
export async function findOwnership(
  ctx: Context,
  domain: Domain,
  dns: ZoneDns = domainDns(),
): Promise<boolean> {
  return (await checkOwnershipRecord(ctx, domain, { dns, mode: "verify" })) === "present";
}

/** Like `findOwnership`, but distinguishes a missing record from a DNS failure. */
export async function checkOwnershipRecord(
  ctx: Context,
  domain: Domain,
  { dns, mode }: { dns: ZoneDns; mode: CheckMode },
): Promise<RecordPresence> {
  const startedAt = await beginCheck(ctx.db);
  const { name, type } = ownershipPlace(domain);
  const asked = await createDnsClient({ domain, dkimKeys: {} }, dns).ask(name, type);
  const answers = mode === "recheck" ? rejectUnreliableDenials(asked) : asked;
  const judgement = evaluateRecord("ownership", answers, toExpectation({ domain, dkimKeys: {} }));
  await saveCheck(ctx, domain.id, {
    mode,
    startedAt,
    checked: [{ record: "ownership", name, answers, judgement }],
  });
  return judgement;
}

/** A domain with its keys and the findings of the last check. */
export type KnownDomain = {
  domain: Domain;
  dkimKeys: PublishedKeys<DkimKey>;
  /** Newest last: records to keep until the signatures made with them have expired. */
  retiredKeys: DkimKey[];
  findings: DomainFinding[];
};

type RecordSource = Pick<KnownDomain, "domain" | "dkimKeys"> & Pick<RecordSources, "findings">;

/** @throws Refusal `not_found` */
export async function loadDomain(ctx: Context, domainId: string): Promise<KnownDomain> {
  const domain = await requireDomain(ctx, domainId);
  const keys = await ctx.db
    .select()
    .from(dkimKeys)
    .where(eq(dkimKeys.domainId, domain.id))
    .orderBy(asc(dkimKeys.retiredAt), asc(dkimKeys.id));
  const findings = await ctx.db
    .select()
    .from(domainFindings)
    .where(eq(domainFindings.domainId, domain.id));
  const retiredKeys = keys.filter(({ state }) => state === "retired");
  return { domain, dkimKeys: publishedKeys(keys), retiredKeys, findings };
}

/** The records to publish (`domainRecords`). */
export function listDomainRecords({ domain, ...known }: RecordSource): DomainRecord[] {
  return domainRecords(domain, {
    ...known,
    hostname: config().hostname,
    mtaStsId: ownMtaStsPolicy().id,
  });
}

/** The records to publish; none in local mode. */
export const listPublishableRecords = (known: RecordSource): DomainRecord[] =>
  isPublishable(known.domain) ? listDomainRecords(known) : [];

export const toExpectation = ({
  domain,
  dkimKeys,
}: Pick<KnownDomain, "domain" | "dkimKeys">): Expectation => ({
  hostname: config().hostname,
  ownership: ownershipValue(domain),
  dkimKeys,
  mtaStsId: ownMtaStsPolicy().id,
});

type Question = { domain: string; hostname: string; resolver: Resolver };

/**
 * Adds to each finding a receiver's evaluation of its SPF record. Evaluates each distinct text once; findings
 * without exactly one SPF record stay as they are.
 */
async function addSpfReadings(
  findings: DnsFinding[],
  { domain, hostname, resolver }: Question,
): Promise<DnsFinding[]> {
  if (!findings.some((finding) => onlySpf(finding) !== null)) return findings;
  const host = await findHostAddresses(resolver, hostname);
  const readings = new Map<string, Promise<SpfReading>>();
  const follow = (text: string) => {
    const resolve = (name: string, rrtype: string) => resolver.resolve(name, rrtype);
    const question = { domain, hostname, hostAddresses: host.addresses, resolve };
    const reading = readings.get(text) ?? followSpf(text, question);
    readings.set(text, reading);
    return reading;
  };
  return Promise.all(
    findings.map(async (finding) => {
      const text = onlySpf(finding);
      if (text === null) return finding;
      const spf = await follow(text);
      // If the appliance's own address lookup failed, a "no" may be wrong.
      const isOpen = !host.isCertain && spf.authorizes === "no" && spf.error === null;
      return { ...finding, spf: isOpen ? { ...spf, authorizes: "open" } : spf };
    }),
  );
}

function onlySpf({ records }: DnsFinding): string | null {
  const [text, second] = records.map(joinTxtStrings).filter(isSpf);
  return text !== undefined && second === undefined ? text : null;
}

async function findHostAddresses(resolver: Resolver, hostname: string) {
  const answers = await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return {
    addresses: answers.flatMap((answer) => (answer.kind === "found" ? answer.records : [])),
    isCertain: answers.every(({ kind }) => kind !== "failed"),
  };
}

type Known = Pick<KnownDomain, "domain" | "dkimKeys">;

/**
 * The DNS client for a domain. No DNS serves the sandbox's domain, so the appliance answers with the records
 * it would have to publish.
 */
function createDnsClient({ domain, dkimKeys }: Known, dns: ZoneDns): ZoneDns {
  if (domain.name !== SANDBOX_DOMAIN) return dns;
  const published = listDomainRecords({ domain, dkimKeys, findings: [] });
  const ask = ({ name, type }: ZoneQuestion): DnsFinding[] => {
    const records = published
      .filter((record) => record.name === name && record.type === type)
      .map(({ value, priority }) => (priority === undefined ? [value] : [String(priority), value]));
    const kind = records.length > 0 ? "found" : "no_name";
    return [{ server: "this appliance", address: null, kind, records, cname: null, reason: null }];
  };
  return {
    ...dns,
    ask: (name, type) => Promise.resolve(ask({ name, type })),
    askAll: (questions) => Promise.resolve(questions.map(ask)),
  };
}

/**
 * For automatic checks: treats the answers of a resolver that denies everything, as behind a captive portal,
 * as failures.
 */
function rejectUnreliableDenials(answers: DnsFinding[]): DnsFinding[] {
  return answers.map((answer) =>
    answer.reason === NO_TOP_LEVEL ? { ...answer, kind: "failed" } : answer,
  );
}

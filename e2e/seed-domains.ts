import {
  type DnsFinding,
  dmarcReports,
  dmarcSources,
  type Domain,
  domainFindings,
  tlsReports,
} from "#drizzle/schema/index.ts";
import { getDomain } from "#server/core/domains/domains/domains.ts";
import { db } from "#server/db/pool.ts";
import { aContext, aDomain } from "#server/testing/factories.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

const SERVERS = [
  { server: "ns1.dns-hosting.example", address: "198.51.100.53" },
  { server: "ns2.dns-hosting.example", address: "203.0.113.53" },
  { server: "resolver", address: null },
];

/** Overrides the DNS answers for a record; null: no such name. */
type AnswerOverrides = Record<string, string[] | null>;

type CheckedOptions = Partial<Pick<Domain, "status" | "trackingSubdomain">> & {
  answersFor?: AnswerOverrides;
  ageDays?: number;
};

/** A domain with verified ownership, as after a check that found every record except those in `answersFor`. */
export async function aCheckedDomain(
  companyId: string,
  name: string,
  { answersFor = {}, ageDays = 40, ...given }: CheckedOptions = {},
): Promise<Domain> {
  const checkedAt = ago(4 * MINUTE_MS);
  const createdAt = ago(ageDays * DAY_MS);
  const domain = await aDomain(companyId, {
    name,
    status: "verified",
    checkedAt,
    createdAt,
    ...given,
  });
  const { records } = await getDomain(aContext(companyId), domain.id);
  const findings = records.map(({ record, value, priority }) => {
    const isOverridden = record in answersFor;
    const texts = isOverridden ? answersFor[record] : [value];
    const strings = texts?.map((text) => (priority ? [String(priority), text] : [text])) ?? [];
    return {
      domainId: domain.id,
      record,
      checkedAt,
      isVerified: !isOverridden,
      answers: SERVERS.map((server): DnsFinding => ({
        ...server,
        kind: strings.length > 0 ? "found" : "no_name",
        records: strings,
        cname: null,
        reason: null,
      })),
    };
  });
  await db().insert(domainFindings).values(findings);
  return domain;
}

/** A domain with unverified ownership; a check found a wrong value for the ownership record. */
export async function anUnverifiedDomain(companyId: string, name: string): Promise<Domain> {
  const checkedAt = ago(MINUTE_MS);
  const domain = await aDomain(companyId, {
    name,
    status: "pending",
    ownershipProvenAt: null,
    checkedAt,
    ownershipToken: "b7f3k2m9q4x8d1n6",
  });
  const records = [["svc-verify=b7f3k2m9q4x8d1n"]];
  const answers = SERVERS.map((server): DnsFinding => ({
    ...server,
    kind: "found",
    records,
    cname: null,
    reason: null,
  }));
  await db()
    .insert(domainFindings)
    .values({ domainId: domain.id, record: "ownership", checkedAt, answers });
  return domain;
}

type Source = { ip: string; messages: number; dkim: boolean; spf: boolean; disposition?: string };

const SOURCES: Source[] = [
  { ip: "198.51.100.10", messages: 412, dkim: true, spf: true },
  { ip: "203.0.113.77", messages: 38, dkim: true, spf: false },
  { ip: "192.0.2.200", messages: 6, dkim: false, spf: false, disposition: "quarantine" },
];

/** DMARC and TLS reports of the last 28 days. */
export async function aMonthOfReports({ id: domainId, companyId, name }: Domain): Promise<void> {
  for (let day = 1; day <= 28; day++) {
    const period = { periodStart: ago((day + 1) * DAY_MS), periodEnd: ago(day * DAY_MS) };
    const orgName = day % 3 ? "google.com" : "Outlook.com";
    const report = { domainId, companyId, orgName, reportId: `r${day}`, ...period };
    const [stored] = await db()
      .insert(dmarcReports)
      .values({ ...report, policy: { domain: name, p: "none" } })
      .returning();
    await db()
      .insert(dmarcSources)
      .values(SOURCES.map((source) => sourceRow(stored!.id, name, source, day)));
    await db()
      .insert(tlsReports)
      .values({
        ...report,
        successful: 90 + ((day * 37) % 60),
        failed: day % 9 === 4 ? 7 : 0,
        failures: day % 9 === 4 ? [TLS_FAILURE] : [],
      });
  }
}

const TLS_FAILURE = {
  type: "certificate-host-mismatch",
  sessions: 7,
  receivingMx: "mail.northwind.example",
  policy: "sts",
};

function sourceRow(reportId: string, name: string, source: Source, day: number) {
  const weekend = day % 7 < 2 ? 0.3 : 1;
  const word = (passed: boolean) => (passed ? ("pass" as const) : ("fail" as const));
  return {
    reportId,
    headerFrom: name,
    sourceIp: source.ip,
    messages: Math.max(1, Math.round(source.messages * weekend * (0.7 + ((day * 13) % 10) / 16))),
    disposition: source.disposition ?? "none",
    dkim: word(source.dkim),
    spf: word(source.spf),
  };
}

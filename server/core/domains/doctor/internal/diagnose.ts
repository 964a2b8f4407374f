import { isIP } from "node:net";

import ipaddr from "ipaddr.js";

import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { normalizeHost } from "#server/core/domains/records/return-path.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";

import {
  atProvider,
  foundAnswers,
  readAnswer,
  type RecordCase,
  recordProblem,
  recordStep,
  VERIFY_STEP,
} from "./case.ts";
import { diagnosePlace, diagnoseTyping, diagnoseValue } from "./diagnose-place.ts";
import { diagnoseDkim, diagnoseDmarc, diagnoseSpf } from "./diagnose-sender.ts";
import { diagnoseLag, diagnoseServers } from "./diagnose-servers.ts";

/**
 * Diagnoses a domain's records, causes before consequences, and its name servers. Pure: makes no queries.
 *
 * @param cases one for each record that was checked
 */
export function diagnose(cases: RecordCase[]): Problem[] {
  const apexTexts = listApexTexts(cases.find(({ record }) => record.record === "spf"));
  return [...diagnoseServers(cases), ...cases.flatMap((aCase) => diagnoseRecord(aCase, apexTexts))];
}

function diagnoseRecord(aCase: RecordCase, apexTexts: string[]): Problem[] {
  const { record, answers } = aCase;
  // Without any answer there is nothing to diagnose.
  if (record.value === "" || answers.every(({ kind }) => kind === "failed")) return [];
  const isThere = answers.some((finding) => readAnswer(aCase, finding) === "yes");
  const diagnoseContent = DIAGNOSES[record.record];
  if (isThere) return [...diagnoseLag(aCase), ...diagnoseContent(aCase, apexTexts)];
  const isUnused =
    RECORD_KINDS[record.record].need === "optional" && foundAnswers(aCase).length === 0;
  const place = diagnosePlace(aCase);
  // That other servers don't have the record either says nothing about where it was entered.
  if (place && !(isUnused && place.code === "delegated_away")) return [place];
  if (isUnused) return [];
  return diagnoseContent(aCase, apexTexts);
}

type Diagnosis = (aCase: RecordCase, apexTexts: string[]) => Problem[];

/** Diagnoses a record's content. The first problem, if any, explains why the record doesn't count. */
const DIAGNOSES: Record<DomainRecordKind, Diagnosis> = {
  ownership: diagnosePlain,
  spf: diagnoseSpf,
  dkim: diagnoseDkim,
  dkim_ed25519: diagnoseDkim,
  dkim_next: diagnoseDkim,
  dkim_ed25519_next: diagnoseDkim,
  dmarc: diagnoseDmarc,
  mx: diagnoseMx,
  tracking: diagnosePlain,
  return_path_mx: diagnosePlain,
  return_path_spf: diagnoseSpf,
  mta_sts: diagnosePlain,
  tls_rpt: diagnosePlain,
};

function diagnosePlain(aCase: RecordCase): Problem[] {
  const findings = foundAnswers(aCase);
  if (findings.some((finding) => readAnswer(aCase, finding) === "yes")) return [];
  const toText = aCase.record.type === "MX" ? (parts: string[]) => parts.join(" ") : joinTxtStrings;
  const texts = findings.flatMap(({ records }) => records.map(toText));
  return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, texts)];
}

/** Addresses of Cloudflare's web proxy (https://www.cloudflare.com/ips/, as of 2026). */
const CLOUDFLARE = [
  "173.245.48.0/20",
  "103.21.244.0/22",
  "103.22.200.0/22",
  "103.31.4.0/22",
  "141.101.64.0/18",
  "108.162.192.0/18",
  "190.93.240.0/20",
  "188.114.96.0/20",
  "197.234.240.0/22",
  "198.41.128.0/17",
  "162.158.0.0/15",
  "104.16.0.0/13",
  "104.24.0.0/14",
  "172.64.0.0/13",
  "131.0.72.0/22",
  "2400:cb00::/32",
  "2606:4700::/32",
  "2803:f800::/32",
  "2405:b500::/32",
  "2405:8100::/32",
  "2a06:98c0::/29",
  "2c0f:f248::/32",
].map((range) => ipaddr.parseCIDR(range));

type Mx = { preference: number; host: string };

/** Diagnoses MX records that send some or all mail elsewhere. */
function diagnoseMx(aCase: RecordCase, apexTexts: string[]): Problem[] {
  const records = (foundAnswers(aCase)[0]?.records ?? []).map(([preference, host]) => ({
    preference: Number(preference),
    host: normalizeHost(host!),
  }));
  const ours = normalizeHost(aCase.expectation.hostname);
  const others = records.filter(({ host }) => host !== ours);
  const wrong = others
    .map((mx) => diagnoseHost(aCase, mx, ours))
    .find((problem) => problem !== null);
  if (records.length === 0)
    return [diagnoseTextRecord(aCase, apexTexts) ?? diagnoseValue(aCase, [])];
  if (wrong) return [wrong];
  if (others.length === records.length) return [diagnoseOthersOnly(aCase, others)];
  return [...diagnoseOthersToo(aCase, others), ...diagnoseOwnHost(aCase, ours)];
}

const formatRecords = (records: Mx[]) =>
  records.map(({ preference, host }) => `${preference} ${host || "."}`).join("\n");

function diagnoseTextRecord(aCase: RecordCase, apexTexts: string[]): Problem | null {
  const { hostname } = aCase.expectation;
  const text = apexTexts.find(
    (one) => normalizeHost(one.trim()).endsWith(hostname) && !/[=:]/.test(one),
  );
  if (text === undefined) return null;
  return recordProblem(aCase, {
    code: "wrong_type",
    title: "The record was entered as a TXT record",
    explanation: "The mail server was entered as text. Mail is routed only by MX records.",
    severity: "warning",
    found: `TXT ${text}`,
    steps: ["Delete the TXT record.", recordStep(aCase, "add"), VERIFY_STEP],
  });
}

function diagnoseHost(aCase: RecordCase, mx: Mx, ours: string): Problem | null {
  const { domain, zone, provider, probes } = aCase;
  if (isIP(mx.host))
    return recordProblem(aCase, {
      code: "mx_is_address",
      title: "An MX record contains an IP address",
      explanation: "An MX record must contain a hostname, not an IP address (RFC 5321, 5.1).",
      expected: ours,
      found: mx.host,
      steps: [recordStep(aCase, "change"), VERIFY_STEP],
    });
  if ([`${ours}.${zone}`, `${ours}.${domain}`].includes(mx.host))
    return recordProblem(aCase, {
      code: "mx_domain_added",
      title: "The domain was appended to the host",
      explanation: `Mail is sent to ${mx.host}. ${provider?.name ?? "The form"} appends ${zone} to a host that does not end in a dot.`,
      expected: ours,
      found: mx.host,
      steps: [
        `${atProvider(aCase)}, change the host to ${ours}. with a dot at its end.`,
        VERIFY_STEP,
      ],
    });
  const host = probes.hosts.get(mx.host);
  if (host?.isAlias)
    return recordProblem(aCase, {
      code: "mx_is_alias",
      title: `${mx.host} is an alias`,
      explanation:
        "An MX record must not point to a CNAME (RFC 2181, 10.3). Some servers don't deliver to one.",
      expected: ours,
      found: mx.host,
      steps: [recordStep(aCase, "change"), VERIFY_STEP],
    });
  return host ? diagnoseProxy(aCase, mx.host, host.addresses) : null;
}

function diagnoseProxy(aCase: RecordCase, host: string, addresses: string[]): Problem | null {
  const address = addresses.find(isProxied);
  if (!address) return null;
  return recordProblem(aCase, {
    code: "mx_proxied",
    title: `${host} is behind a web proxy`,
    explanation: `${host} points to ${address}, a Cloudflare web proxy that doesn't accept mail.`,
    severity: "warning",
    expected: null,
    found: address,
    steps: [
      `At Cloudflare, turn off the proxy for the A and AAAA records of ${host}. The cloud must be gray (DNS only).`,
    ],
  });
}

function diagnoseOthersOnly(aCase: RecordCase, others: Mx[]): Problem {
  const isNull = others.every(({ host }) => host === "");
  return recordProblem(aCase, {
    code: isNull ? "mx_null" : "mx_elsewhere",
    title: isNull ? "The domain doesn't accept mail" : "Mail to the domain goes elsewhere",
    explanation: isNull
      ? "The record “0 .” declares that the domain doesn't accept mail (RFC 7505)."
      : "The MX records point to another provider. That's correct while your mailboxes are there; sending doesn't need this record.",
    severity: "warning",
    found: formatRecords(others),
    steps: [
      `If you want to receive the domain's mail here: ${recordStep(aCase, "add")}`,
      "Then delete the other MX records.",
    ],
  });
}

function diagnoseOthersToo(aCase: RecordCase, others: Mx[]): Problem[] {
  if (others.length === 0) return [];
  return [
    recordProblem(aCase, {
      code: "mx_other_provider",
      title: "Some mail goes to another provider",
      explanation:
        "There are other MX records besides this server's. Senders choose by preference and fall back to the others, so that mail doesn't arrive here.",
      severity: "warning",
      found: formatRecords(others),
      steps: [
        "Delete the other MX records, unless that provider forwards all mail to this server.",
      ],
    }),
  ];
}

/** The appliance's own hostname points to a proxy. */
function diagnoseOwnHost(aCase: RecordCase, ours: string): Problem[] {
  const problem = diagnoseProxy(aCase, ours, aCase.probes.hosts.get(ours)?.addresses ?? []);
  return problem ? [problem] : [];
}

/** TXT records at the domain itself, to find a record entered with the wrong type. */
const listApexTexts = (aCase: RecordCase | undefined): string[] =>
  aCase ? foundAnswers(aCase).flatMap(({ records }) => records.map(joinTxtStrings)) : [];

/** Whether the address belongs to a web proxy, which accepts no mail. */
function isProxied(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return CLOUDFLARE.some(
    ([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits),
  );
}

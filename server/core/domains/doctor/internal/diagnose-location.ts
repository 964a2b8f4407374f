import type { DnsFinding } from "#drizzle/schema/index.ts";
import { textOf } from "#server/core/domains/records/tag-list.ts";

import {
  recordStep,
  foundAnswers,
  ownAnswers,
  recordProblem,
  readAnswer,
  type RecordCase,
  VERIFY_STEP,
  atProvider,
} from "./case.ts";
import { misplacedNames } from "#server/core/domains/doctor/probe.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses why a record is not at its name, whatever its content. Comes before its content. */
export function diagnosePlace(aCase: RecordCase): Problem | null {
  return (
    diagnoseAlias(aCase) ??
    diagnoseMisplaced(aCase) ??
    diagnoseDelegation(aCase) ??
    diagnoseWildcard(aCase)
  );
}

function diagnoseAlias(aCase: RecordCase): Problem | null {
  const alias = aCase.answers.find(({ cname }) => cname !== null)?.cname;
  if (!alias) return null;
  const { name } = aCase.record;
  return recordProblem(aCase, {
    code: "alias_in_the_way",
    title: `An alias (CNAME) stands at ${name}`,
    explanation: `Where a CNAME stands no other record can (RFC 1034, 3.6.2): whoever asks for ${name} is sent on to ${alias} and finds what is there.`,
    found: `CNAME ${alias}`,
    steps: [
      `${atProvider(aCase)} delete the CNAME record of ${name}.`,
      recordStep(aCase, "add"),
      VERIFY_STEP,
    ],
  });
}

function diagnoseMisplaced(aCase: RecordCase): Problem | null {
  const { record, domain, zone, probes } = aCase;
  const isThere = (findings: DnsFinding[]) =>
    findings.some((finding) => readAnswer(aCase, finding) === "yes");
  const place = misplacedNames(domain, record).find(
    (name) =>
      isThere(probes.elsewhere.get(`${record.type} ${name}`) ?? []) &&
      !isCommon(record.record, name, domain),
  );
  if (!place) return null;
  const isTwice = place === `${record.name}.${zone}`;
  return recordProblem(aCase, {
    code: isTwice ? "domain_twice" : "wrong_host",
    title: isTwice ? "The domain is in the host twice" : "It stands at another host",
    explanation: isTwice
      ? `The record is at ${place}: the form added ${zone} to a host that already ended in it.`
      : `The record is at ${place}, and receivers look for it at ${record.name}.`,
    expected: record.name,
    found: place,
    steps: [recordStep(aCase, "add"), `Delete the one at ${place}.`, VERIFY_STEP],
  });
}

/** Records that the registered domain may well have for itself. */
const isCommon = (record: string, name: string, domain: string) =>
  ["spf", "dmarc", "mx", "tls_rpt", "mta_sts"].includes(record) &&
  name !== domain &&
  !name.includes(`${domain}.`) &&
  !name.endsWith(`.${domain}`);

function diagnoseDelegation(aCase: RecordCase): Problem | null {
  const servers = ownAnswers(aCase).map(({ server }) => server);
  const isAway =
    servers.length > 0 &&
    aCase.domainServers.length > 0 &&
    !servers.some((server) => aCase.domainServers.includes(server));
  if (!isAway || foundAnswers(aCase).length > 0) return null;
  const { name } = aCase.record;
  const label = name.split(".").find((part, at) => at > 0 && part.startsWith("_")) ?? name;
  return recordProblem(aCase, {
    code: "delegated_away",
    title: "Other name servers are responsible for it",
    explanation: `NS records below the domain hand ${name} to ${servers.join(" and ")}, which do not have the record. What is entered beside the rest of the domain's records is never read there.`,
    found: `NS ${servers.join(", ")}`,
    steps: [
      `Enter the record at whoever runs ${servers[0]!}, or delete the NS records of ${label === name ? name : `${label}.${aCase.domain}`} if nobody needs them.`,
      recordStep(aCase, "add"),
      VERIFY_STEP,
    ],
  });
}

function diagnoseWildcard(aCase: RecordCase): Problem | null {
  const { record, domain, probes } = aCase;
  if (record.type !== "TXT" || record.name === domain) return null;
  const text = (findings: DnsFinding[]) => findings.flatMap(({ records }) => records.map(textOf));
  const atWildcard = new Set(text(probes.wildcard));
  const here = text(foundAnswers(aCase));
  if (here.length === 0 || !here.every((one) => atWildcard.has(one))) return null;
  return recordProblem(aCase, {
    code: "wildcard_answers",
    title: "A wildcard answers in its place",
    explanation: `Nothing stands at ${record.name}. A record of *.${domain} answers for every name that is not there, and receivers take its value for this one's.`,
    found: here[0]!,
    steps: [recordStep(aCase, "add"), VERIFY_STEP],
  });
}

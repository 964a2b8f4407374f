import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import { isDkimRecord } from "#server/core/domains/records/domain-records.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";

import { foundAnswers, readAnswer, type RecordCase } from "./case.ts";
import { diagnoseDkim, diagnoseDmarc, diagnoseSpf } from "./diagnose-sender.ts";
import { listApexTexts, diagnoseMx } from "./diagnose-mx.ts";
import { diagnosePlace, diagnoseTyping, diagnoseValue } from "./diagnose-place.ts";
import { diagnoseLag, diagnoseServers } from "./diagnose-servers.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Optional records: their absence is not a problem. */
const OPTIONAL: DomainRecordKind[] = [
  ...(["dkim_ed25519", "return_path_mx", "return_path_spf", "mta_sts", "tls_rpt"] as const),
];

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
  const lag = diagnoseLag(aCase);
  if (isThere) return [...lag, ...diagnoseContent(aCase, apexTexts)];
  const isUnused = OPTIONAL.includes(record.record) && foundAnswers(aCase).length === 0;
  const place = diagnosePlace(aCase);
  // That other servers don't have the record either says nothing about where it was entered.
  if (place && !(isUnused && place.code === "delegated_away")) return [place];
  if (isUnused) return [];
  return diagnoseContent(aCase, apexTexts);
}

type Diagnosis = (aCase: RecordCase, apexTexts: string[]) => Problem[];

const DIAGNOSES: { [Kind in DomainRecordKind]?: Diagnosis } = {
  spf: diagnoseSpf,
  return_path_spf: diagnoseSpf,
  dmarc: diagnoseDmarc,
  mx: diagnoseMx,
};

/** The first problem, if any, explains why the record doesn't count. */
function diagnoseContent(aCase: RecordCase, apexTexts: string[]): Problem[] {
  const { record: kind } = aCase.record;
  if (isDkimRecord(kind)) return diagnoseDkim(aCase);
  return (DIAGNOSES[kind] ?? diagnosePlain)(aCase, apexTexts);
}

function diagnosePlain(aCase: RecordCase): Problem[] {
  const findings = foundAnswers(aCase);
  if (findings.some((finding) => readAnswer(aCase, finding) === "yes")) return [];
  const toText = aCase.record.type === "MX" ? (parts: string[]) => parts.join(" ") : joinTxtStrings;
  const texts = findings.flatMap(({ records }) => records.map(toText));
  return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, texts)];
}

import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import { joinTxtStrings } from "#server/core/domains/records/txt-records.ts";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";

import { foundAnswers, readAnswer, type RecordCase } from "./case.ts";
import { diagnoseDkim, diagnoseDmarc, diagnoseSpf } from "./diagnose-sender.ts";
import { listApexTexts, diagnoseMx } from "./diagnose-mx.ts";
import { diagnosePlace, diagnoseTyping, diagnoseValue } from "./diagnose-place.ts";
import { diagnoseLag, diagnoseServers } from "./diagnose-servers.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

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

import { evaluateFindings } from "#server/core/domains/records/evaluate-findings.ts";
import { reportAddress } from "#server/core/domains/records/domain-records.ts";
import { looksLikeDmarc, readDmarc } from "#server/core/domains/records/read-dmarc.ts";
import { joinTxtStrings } from "#server/core/domains/records/tag-list.ts";

import {
  recordStep,
  recordProblem,
  type RecordCase,
  firstAnswerTexts,
  VERIFY_STEP,
} from "./case.ts";
import { diagnoseTyping, diagnoseValue } from "./diagnose-text.ts";
import { reportPermissionName, findZone } from "#server/core/domains/doctor/probe.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses the content of the DMARC record, its absence or duplicates. */
export function diagnoseDmarc(aCase: RecordCase): Problem[] {
  const texts = firstAnswerTexts(aCase).filter(looksLikeDmarc);
  const [text, second] = texts;
  if (text === undefined) return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, [])];
  if (second !== undefined)
    return [
      recordProblem(aCase, {
        code: "dmarc_several",
        title: `There are ${texts.length} DMARC records`,
        explanation: "If there is more than one, receivers ignore all of them (RFC 7489, 6.6.3).",
        found: texts.join("\n"),
        steps: ["Delete all except one.", recordStep(aCase, "change"), VERIFY_STEP],
      }),
    ];
  const dmarc = readDmarc(text);
  if (!dmarc)
    return [
      recordProblem(aCase, {
        code: "dmarc_invalid",
        title: "The record is invalid",
        explanation:
          "It must start with v=DMARC1 and have a policy (p=none, quarantine or reject), separated by semicolons (RFC 7489, 6.3).",
        found: text,
        steps: [recordStep(aCase, "change"), VERIFY_STEP],
      }),
    ];
  return [
    ...diagnosePolicy(aCase, text, dmarc.policy),
    ...diagnoseReports(aCase, text, dmarc.reportUris),
  ];
}

function diagnosePolicy(aCase: RecordCase, text: string, policy: string): Problem[] {
  if (policy === "none" || aCase.isAuthenticated) return [];
  return [
    recordProblem(aCase, {
      code: "dmarc_too_strict",
      title: `It tells receivers to ${policy} mail before DKIM works`,
      explanation: `With p=${policy}, receivers ${policy === "reject" ? "reject mail from this server" : "move mail from this server to spam"} until DKIM or SPF passes.`,
      ...{ severity: "warning", found: text },
      expected: text.replace(/(\bp\s*=\s*)\w+/i, "$1none"),
      steps: [
        "Set p=none until DKIM and SPF are verified. Review the reports before you change it back.",
      ],
    }),
  ];
}

function diagnoseReports(aCase: RecordCase, text: string, uris: string[]): Problem[] {
  const ours = `mailto:${reportAddress(aCase.expectation.hostname)}`;
  if (uris.some((uri) => uri.toLowerCase().startsWith(ours)))
    return diagnoseReportPermission(aCase);
  return [
    recordProblem(aCase, {
      code: "dmarc_no_reports",
      title: "DMARC reports are not sent to this server",
      explanation:
        "Receivers send reports about mail from your domain to the addresses in rua=. Add this server's address to see the reports on this page. The other addresses still receive them.",
      ...{ severity: "warning", found: text },
      steps: [recordStep(aCase, "change")],
    }),
  ];
}

/** Reports about other domains are sent only to addresses whose domain agrees (RFC 7489 §7.1). */
function diagnoseReportPermission(aCase: RecordCase): Problem[] {
  const { domain, zone, probes, expectation } = aCase;
  const name = reportPermissionName(domain, expectation.hostname);
  const answers = probes.elsewhere.get(`TXT ${name}`) ?? [];
  const isAllowed = evaluateFindings(answers, ({ records }) =>
    records.map(joinTxtStrings).some(looksLikeDmarc) ? "yes" : "no",
  );
  const isOwn = findZone(expectation.hostname) === zone || isLocal(expectation.hostname);
  if (isOwn || isAllowed !== "absent") return [];
  return [
    recordProblem(aCase, {
      code: "dmarc_reports_not_allowed",
      title: "DMARC reports are not sent to this server yet",
      explanation: `${expectation.hostname} belongs to another domain, so receivers send it reports about ${domain} only if its DNS allows them (RFC 7489, 7.1).`,
      ...{ severity: "warning", expected: "v=DMARC1", found: null },
      steps: [
        `In the DNS of ${expectation.hostname}, add a TXT record at *._report._dmarc.${expectation.hostname} with the value v=DMARC1. It covers all domains.`,
      ],
    }),
  ];
}

const isLocal = (hostname: string) => hostname.endsWith(".localhost");

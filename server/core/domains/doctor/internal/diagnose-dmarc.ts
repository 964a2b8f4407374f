import { evaluateFindings } from "#server/core/domains/records/evaluate-findings.ts";
import { reportAddress } from "#server/core/domains/records/domain-records.ts";
import { looksLikeDmarc, readDmarc } from "#server/core/domains/records/read-dmarc.ts";
import { textOf } from "#server/core/domains/records/tag-list.ts";

import { recordStep, recordProblem, type RecordCase, textsOf, VERIFY_STEP } from "./case.ts";
import { diagnoseTyping, diagnoseValue } from "./diagnose-text.ts";
import { reportPermissionName, zoneOf } from "#server/core/domains/doctor/probe.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses the content of the DMARC record, its absence or duplicates. */
export function diagnoseDmarc(aCase: RecordCase): Problem[] {
  const texts = textsOf(aCase).filter(looksLikeDmarc);
  const [text, second] = texts;
  if (text === undefined) return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, [])];
  if (second !== undefined)
    return [
      recordProblem(aCase, {
        code: "dmarc_several",
        title: `There are ${texts.length} DMARC records`,
        explanation: "Of more than one receivers use none (RFC 7489, 6.6.3).",
        found: texts.join("\n"),
        steps: ["Delete all but one of them.", recordStep(aCase, "change"), VERIFY_STEP],
      }),
    ];
  const dmarc = readDmarc(text);
  if (!dmarc)
    return [
      recordProblem(aCase, {
        code: "dmarc_invalid",
        title: "Receivers cannot read it",
        explanation:
          "It has to begin with v=DMARC1 and to name a policy (p=none, quarantine or reject), with a semicolon between (RFC 7489, 6.3).",
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
      title: `It asks receivers to ${policy} mail before DKIM works`,
      explanation: `With p=${policy} mail from this appliance is ${policy === "reject" ? "refused" : "put into spam"} until DKIM or SPF is found.`,
      ...{ severity: "warning", found: text },
      expected: text.replace(/(\bp\s*=\s*)\w+/i, "$1none"),
      steps: [
        "Set p=none until DKIM and SPF are verified, and look at the reports before you set it back.",
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
      title: "Its reports do not come here",
      explanation:
        "Receivers tell the addresses in rua= who sends as your domain. With the one of this appliance added they show on this page; the others go on receiving them.",
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
    records.map(textOf).some(looksLikeDmarc) ? "yes" : "no",
  );
  const isOwn = zoneOf(expectation.hostname) === zone || isLocal(expectation.hostname);
  if (isOwn || isAllowed !== "absent") return [];
  return [
    recordProblem(aCase, {
      code: "dmarc_reports_not_allowed",
      title: "Its reports are not sent here yet",
      explanation: `${expectation.hostname} is of another domain, and receivers send it reports about ${domain} only if its own DNS agrees to them (RFC 7489, 7.1).`,
      ...{ severity: "warning", expected: "v=DMARC1", found: null },
      steps: [
        `Whoever runs the DNS of ${expectation.hostname} adds a TXT record at *._report._dmarc.${expectation.hostname} with the value v=DMARC1. It serves all domains.`,
      ],
    }),
  ];
}

const isLocal = (hostname: string) => hostname.endsWith(".localhost");

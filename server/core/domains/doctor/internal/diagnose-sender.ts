import type { SpfReading } from "#drizzle/schema/index.ts";
import { findZone, reportPermissionName } from "#server/core/domains/doctor/probe.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";
import { quotedStrings } from "#server/core/domains/doctor/zone-file.ts";
import { isDkimRecord, reportAddress } from "#server/core/domains/records/domain-records.ts";
import { evaluateFindings } from "#server/core/domains/records/evaluate-findings.ts";
import {
  type DkimReading,
  joinTxtStrings,
  looksLikeDmarc,
  readDkim,
  readDmarc,
} from "#server/core/domains/records/txt-records.ts";
import { isSpf, LOOKUPS_MAX, readSpf, type SpfTerm } from "#server/core/domains/spf/spf.ts";

import {
  firstAnswerTexts,
  foundAnswers,
  type RecordCase,
  recordProblem,
  recordStep,
  VERIFY_STEP,
} from "./case.ts";
import { diagnoseTyping, diagnoseValue } from "./diagnose-place.ts";

/** Diagnoses the content of the SPF record, its absence or duplicates. */
export function diagnoseSpf(aCase: RecordCase): Problem[] {
  const texts = firstAnswerTexts(aCase).filter(isSpf);
  const [text, second] = texts;
  if (text === undefined) return [diagnoseTyping(aCase) ?? diagnoseValue(aCase, [])];
  if (second !== undefined) return [multipleRecords(aCase, texts)];
  const finding = foundAnswers(aCase).find(({ records }) =>
    records.map(joinTxtStrings).includes(text),
  );
  const spf = finding?.spf ?? null;
  const terms = readSpf(text);
  if (aCase.record.isVerified) return warnings(aCase, text, terms, spf);
  const unreadable = diagnoseTyping(aCase) ?? diagnoseSyntax(aCase, text, terms);
  if (unreadable) return [unreadable];
  const reason = diagnoseFailure(aCase, text, terms, spf);
  return [reason, ...warnings(aCase, text, terms, reason.code === "spf_lookups" ? null : spf)];
}

function multipleRecords(aCase: RecordCase, texts: string[]): Problem {
  return recordProblem(aCase, {
    code: "spf_several",
    title: `There are ${texts.length} SPF records`,
    explanation:
      "A domain can have only one. With more, receivers use none (RFC 7208, 4.5), and all mail of the domain fails SPF.",
    found: texts.join("\n"),
    steps: [
      `Delete ${texts.length === 2 ? "one of them" : "all but one of them"}.`,
      `Change the remaining one to ${aCase.record.value}, which combines them.`,
      VERIFY_STEP,
    ],
  });
}

function diagnoseSyntax(aCase: RecordCase, text: string, terms: SpfTerm[]): Problem | null {
  const wrong = terms.find(({ error }) => error !== null);
  if (!wrong) return null;
  const fixed = aCase.record.value.replace(` ${wrong.text}`, "");
  return recordProblem(aCase, {
    code: "spf_syntax",
    title: `“${wrong.text}” is invalid`,
    explanation: `“${wrong.text}” ${wrong.error!}. One invalid term makes receivers ignore the whole record (RFC 7208, 4.6).`,
    found: text,
    expected: fixed,
    steps: [`Correct “${wrong.text}”, or remove it if it is unused: ${fixed}`, VERIFY_STEP],
  });
}

function diagnoseFailure(
  aCase: RecordCase,
  text: string,
  terms: SpfTerm[],
  spf: SpfReading | null,
): Problem {
  const host = aCase.expectation.hostname;
  if (spf && spf.lookups > LOOKUPS_MAX) return tooManyLookups(aCase, text, terms, spf);
  if (spf?.error)
    return recordProblem(aCase, {
      code: "spf_error",
      title: "Receivers reject the record",
      explanation: `Receivers get an error and ignore the whole record: ${spf.error}.`,
      found: text,
      steps: ["Remove the terms that no longer resolve.", recordStep(aCase, "change"), VERIFY_STEP],
    });
  if (spf?.authorizes === "open")
    return recordProblem(aCase, {
      code: "spf_unanswered",
      title: "An included record could not be read",
      explanation:
        "A domain that the record includes did not answer, so it is unknown whether the record allows this server to send. The previous result still applies.",
      found: text,
      steps: [
        recordStep(aCase, "change"),
        "Or wait until the included domain answers, then check the domain again.",
      ],
    });
  return recordProblem(aCase, {
    code: "spf_not_authorized",
    title: "The record does not allow this server to send",
    explanation: isBehindEnd(terms, host)
      ? "This server is listed after “all”, where receivers stop reading."
      : `Mail from ${host}${formatAddresses(spf)} fails SPF. The expected value is your record with this server added; everything else stays.`,
    found: text,
    steps: [
      recordStep(aCase, "change"),
      "Do not add a second record: a domain can have only one.",
      VERIFY_STEP,
    ],
  });
}

function tooManyLookups(
  aCase: RecordCase,
  text: string,
  terms: SpfTerm[],
  spf: SpfReading,
): Problem {
  const includes = terms.filter(({ name }) => name === "include").map(({ value }) => value);
  return recordProblem(aCase, {
    code: "spf_lookups",
    title: `The record needs ${spf.lookups > 50 ? "more than 50" : spf.lookups} lookups; ${LOOKUPS_MAX} are allowed`,
    explanation: `Each include, a, mx, ptr, exists and redirect costs a lookup, also inside included records. Receivers stop after ten (RFC 7208, 4.6.4), and mail not allowed by then fails.`,
    found: text,
    steps: [
      includes.length > 0
        ? `Remove the services that no longer send for you: ${includes.join(", ")}.`
        : "Remove the terms that no longer send for you.",
      "Replace a and mx with IP addresses (ip4:, ip6:), and remove ptr.",
      recordStep(aCase, "change"),
      VERIFY_STEP,
    ],
  });
}

const isBehindEnd = (terms: SpfTerm[], host: string) => {
  const end = terms.findIndex(({ name }) => name === "all");
  return end >= 0 && terms.slice(end).some(({ name, value }) => name === "a" && value === host);
};

const formatAddresses = (spf: SpfReading | null) =>
  spf && spf.hostAddresses.length > 0 ? ` (${spf.hostAddresses.join(", ")})` : "";

/** For a record that works. */
function warnings(
  aCase: RecordCase,
  text: string,
  terms: SpfTerm[],
  spf: SpfReading | null,
): Problem[] {
  const end = terms.find(({ name }) => name === "all");
  const problems: Problem[] = [];
  if (end?.qualifier === "+")
    problems.push(
      recordProblem(aCase, {
        code: "spf_allows_all",
        title: "The record allows any server to send as you",
        explanation: `“${end.text}” allows every server on the internet to send mail for the domain. Receivers distrust such domains.`,
        severity: "warning",
        found: text,
        expected: text.replace(end.text, "~all"),
        steps: [`Change “${end.text}” to “~all”.`],
      }),
    );
  if (!end && !terms.some(({ name }) => name === "redirect"))
    problems.push(
      recordProblem(aCase, {
        code: "spf_no_end",
        title: "The record has no “all” at its end",
        explanation:
          "Without “all” at its end, the record says nothing about servers that it doesn't list.",
        severity: "warning",
        found: text,
        expected: `${text} ~all`,
        steps: ["Add “~all” at the end."],
      }),
    );
  if (spf && spf.lookups > LOOKUPS_MAX)
    problems.push({ ...tooManyLookups(aCase, text, terms, spf), severity: "warning" });
  return problems;
}

type ReadingText = Pick<Problem, "title" | "explanation">;

const TEXTS: Record<Exclude<DkimReading, "ours" | "not_dkim">, ReadingText> = {
  revoked: {
    title: "The key is revoked",
    explanation:
      "“p=” is empty, which tells receivers not to trust signatures made with this key (RFC 6376, 3.6.1).",
  },
  truncated: {
    title: "The key is truncated",
    explanation:
      "The key starts correctly but its end is missing. Some DNS forms silently cut values after 255 characters. If yours does, enter the value in pieces.",
  },
  other_key: {
    title: "The record contains a different key",
    explanation:
      "The published key doesn't match the key this server signs with, so every signature fails.",
  },
  unusable: {
    title: "The key can't be used",
    explanation:
      "The key is correct, but the record's tags (k=, h= or s=) forbid its use for signing email.",
  },
};

/** Diagnoses the content of the DKIM record, or its absence. */
export function diagnoseDkim(aCase: RecordCase): Problem[] {
  const kind = aCase.record.record;
  const key = isDkimRecord(kind) ? aCase.expectation.dkimKeys[kind] : undefined;
  const texts = firstAnswerTexts(aCase);
  if (aCase.record.isVerified) return multipleKeys(aCase, texts);
  const typing = diagnoseTyping(aCase);
  if (typing) return [typing];
  for (const text of texts) {
    const reading = key ? readDkim(text, key) : "not_dkim";
    if (reading === "ours" || reading === "not_dkim") continue;
    const cut = reading === "truncated" ? splitValueStep(aCase) : [];
    return [
      recordProblem(aCase, {
        code: `dkim_${reading}`,
        ...TEXTS[reading],
        found: text,
        steps: [recordStep(aCase, "change"), ...cut, VERIFY_STEP],
      }),
    ];
  }
  return [diagnoseValue(aCase, texts)];
}

const splitValueStep = ({ record: { value } }: RecordCase): string[] => [
  `If the form takes no more than 255 characters, enter it like this: ${quotedStrings(value)}`,
];

function multipleKeys(aCase: RecordCase, texts: string[]): Problem[] {
  if (texts.length < 2) return [];
  return [
    recordProblem(aCase, {
      code: "dkim_several",
      title: "There is more than one record",
      explanation:
        "With more than one record at a selector, receivers may use any of them (RFC 6376, 3.6.2.2).",
      severity: "warning",
      found: texts.join("\n"),
      steps: ["Delete all records except the expected one."],
    }),
  ];
}

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
      severity: "warning",
      found: text,
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
      severity: "warning",
      found: text,
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
      severity: "warning",
      expected: "v=DMARC1",
      found: null,
      steps: [
        `In the DNS of ${expectation.hostname}, add a TXT record at *._report._dmarc.${expectation.hostname} with the value v=DMARC1. It covers all domains.`,
      ],
    }),
  ];
}

const isLocal = (hostname: string) => hostname.endsWith(".localhost");

import type { DnsFinding } from "#drizzle/schema/index.ts";
import { isResolver } from "#server/core/domains/records/evaluate-findings.ts";

import { ownAnswers, recordProblem, readAnswer, type RecordCase, atProvider } from "./case.ts";
import { formatDuration } from "./diagnose-text.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses servers that lag behind. Only for records that at least one server has. */
export function diagnoseLag(aCase: RecordCase): Problem[] {
  const readings = ownAnswers(aCase).map((finding) => ({
    finding,
    reading: readAnswer(aCase, finding),
  }));
  if (!readings.some(({ reading }) => reading === "yes")) return [];
  const behind = readings.filter(
    ({ finding, reading }) => reading === "no" && finding.kind !== "failed",
  );
  if (behind.length > 0)
    return [
      serversBehind(
        aCase,
        behind.map(({ finding }) => finding.server),
      ),
    ];
  const copy = aCase.answers.find(isResolver);
  if (!copy || copy.kind === "failed" || readAnswer(aCase, copy) !== "no") return [];
  return [staleCache(aCase)];
}

function serversBehind(aCase: RecordCase, servers: string[]): Problem {
  const names = servers.join(" and ");
  return recordProblem(aCase, {
    code: "server_behind",
    title: `${names} ${servers.length === 1 ? "does" : "do"} not have it`,
    explanation:
      "The servers of the domain disagree, so what a receiver sees is a matter of chance. After a change that passes within minutes; otherwise the server is no longer fed.",
    ...{ severity: "warning", found: names },
    steps: [
      "Verify the domain again in a quarter of an hour.",
      `If it is still so: ${atProvider(aCase).toLowerCase()} find out why ${names} is not updated, or take it out of the domain's name servers.`,
    ],
  });
}

function staleCache(aCase: RecordCase): Problem {
  const { negativeTtl } = aCase.probes;
  const long = negativeTtl === null ? "a while" : `up to ${formatDuration(negativeTtl)}`;
  return recordProblem(aCase, {
    code: "old_copy",
    title: "Others still remember the time before it",
    explanation: `The domain's own servers have the record. Servers that asked earlier keep what they were told for ${long}, receivers' among them.`,
    severity: "warning",
    steps: ["Nothing is to be done. Wait before you send the first mail."],
  });
}

/** Diagnoses problems of the domain's name servers as a whole. */
export function diagnoseServers(cases: RecordCase[]): Problem[] {
  const aCase = cases[0];
  if (!aCase) return [];
  const { domainServers } = aCase;
  const told = cases.flatMap(ownAnswers).filter(({ server }) => domainServers.includes(server));
  const copies = cases.flatMap(({ answers }) => answers.filter(isResolver));
  if (domainServers.length === 0) return withoutServers(aCase, copies);
  const silent = domainServers.filter((name) => {
    const answers = told.filter(({ server }) => server === name);
    return answers.length > 0 && answers.every(({ kind }) => kind === "failed");
  });
  const isDistrusted = copies.length > 0 && copies.every(({ reason }) => reason === "SERVFAIL");
  if (isDistrusted && silent.length < domainServers.length) return [brokenDnssec(aCase)];
  return silent.length > 0 ? [lameServers(aCase, silent, told)] : [];
}

/** For when only the configured resolver was queried. */
function withoutServers(aCase: RecordCase, copies: DnsFinding[]): Problem[] {
  if (copies.length === 0) return [];
  if (copies.every(({ kind }) => kind === "failed")) return [noAnswer(aCase)];
  return copies.every(({ kind }) => kind === "no_name") ? [unknownDomain(aCase)] : [];
}

const domainProblem = (
  told: Omit<Problem, "record" | "expected" | "found" | "severity"> & Partial<Problem>,
): Problem => ({
  ...{ record: null, expected: null, found: null, severity: "error" },
  ...told,
});

function lameServers(
  { domainServers, zone }: RecordCase,
  silent: string[],
  servers: { server: string; reason: string | null }[],
): Problem {
  const reasonOf = (name: string) => servers.find(({ server }) => server === name)?.reason;
  const isAll = silent.length === domainServers.length;
  return domainProblem({
    code: isAll ? "servers_silent" : "server_lame",
    title: `${silent.join(" and ")} ${silent.length === 1 ? "does" : "do"} not answer for ${zone}`,
    explanation: isAll
      ? "None of the domain's name servers answers this appliance, so nothing can be said for sure. What was verified stays so."
      : "A name server that is named for the domain and does not answer for it slows down every look-up, and some fail.",
    found: silent.map((name) => `${name}: ${reasonOf(name) ?? "no answer"}`).join("\n"),
    severity: isAll ? "error" : "warning",
    steps: isAll
      ? [
          "Try again in a few minutes.",
          "Make sure that this machine may ask other name servers: UDP and TCP, port 53.",
        ]
      : [
          `Where ${zone} is registered take the server out of the name servers, or have it set up for the domain.`,
        ],
  });
}

function brokenDnssec({ zone }: RecordCase): Problem {
  return domainProblem({
    code: "dnssec_broken",
    title: "Answers of the domain are not trusted",
    explanation: `The name servers of ${zone} answer, and the resolver refuses their answers (SERVFAIL). That is what broken DNSSEC looks like, most often after a change of the DNS provider: receivers then see none of the records.`,
    found: "SERVFAIL",
    steps: [
      `Where ${zone} is registered delete the old DS record, or enter the one of the new provider.`,
    ],
  });
}

function noAnswer({ zone }: RecordCase): Problem {
  return domainProblem({
    code: "no_answer",
    title: `Nobody answers for ${zone}`,
    explanation:
      "The resolver could not find a name server that answers. What was verified stays so.",
    steps: [
      `Look up at the registrar which name servers ${zone} has, and whether they serve it.`,
      "Try again in a few minutes.",
    ],
  });
}

function unknownDomain({ zone, domain }: RecordCase): Problem {
  return domainProblem({
    code: "unknown_domain",
    title: `${domain} is not in the DNS`,
    explanation: `No name server is responsible for ${zone}, or it knows nothing of ${domain}.`,
    steps: [
      `Check the spelling of ${domain}.`,
      `Make sure that ${zone} is registered and has name servers.`,
    ],
  });
}

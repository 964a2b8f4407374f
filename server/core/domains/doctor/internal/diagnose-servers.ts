import type { DnsFinding } from "#drizzle/schema/index.ts";
import { isResolver } from "#server/core/domains/records/evaluate-findings.ts";

import { zoneAnswers, recordProblem, readAnswer, type RecordCase } from "./case.ts";
import { describeSeconds } from "./diagnose-place.ts";
import type { Problem } from "#server/core/domains/doctor/problem.ts";

/** Diagnoses servers that lag behind. Only for records that at least one server has. */
export function diagnoseLag(aCase: RecordCase): Problem[] {
  const readings = zoneAnswers(aCase).map((finding) => ({
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
    title: `${names} ${servers.length === 1 ? "does" : "do"} not have the record`,
    explanation:
      "The domain's name servers disagree, so receivers may or may not see the record. After a change, this resolves within minutes. If it doesn't, the server has stopped receiving updates.",
    severity: "warning",
    found: names,
    steps: [
      "Check the domain again in 15 minutes.",
      `If the problem persists, ask your DNS provider why ${names} is not updated, or remove it from the domain's name servers.`,
    ],
  });
}

function staleCache(aCase: RecordCase): Problem {
  const { negativeTtl } = aCase.probes;
  const long = negativeTtl === null ? "a while" : `up to ${describeSeconds(negativeTtl)}`;
  return recordProblem(aCase, {
    code: "old_copy",
    title: "Other servers still have an old answer cached",
    explanation: `The domain's own servers have the record. Resolvers that queried it earlier, including those of receivers, cache the old answer for ${long}.`,
    severity: "warning",
    steps: ["No action is needed. Wait before you send the first email."],
  });
}

/** Diagnoses problems of the domain's name servers as a whole. */
export function diagnoseServers(cases: RecordCase[]): Problem[] {
  const aCase = cases[0];
  if (!aCase) return [];
  const { domainServers } = aCase;
  const serverAnswers = cases
    .flatMap(zoneAnswers)
    .filter(({ server }) => domainServers.includes(server));
  const copies = cases.flatMap(({ answers }) => answers.filter(isResolver));
  if (domainServers.length === 0) return withoutServers(aCase, copies);
  const silent = domainServers.filter((name) => {
    const answers = serverAnswers.filter(({ server }) => server === name);
    return answers.length > 0 && answers.every(({ kind }) => kind === "failed");
  });
  const isDistrusted = copies.length > 0 && copies.every(({ reason }) => reason === "SERVFAIL");
  if (isDistrusted && silent.length < domainServers.length) return [brokenDnssec(aCase)];
  return silent.length > 0 ? [lameServers(aCase, silent, serverAnswers)] : [];
}

/** For when only the configured resolver was queried. */
function withoutServers(aCase: RecordCase, copies: DnsFinding[]): Problem[] {
  if (copies.length === 0) return [];
  if (copies.every(({ kind }) => kind === "failed")) return [noAnswer(aCase)];
  return copies.every(({ kind }) => kind === "no_name") ? [unknownDomain(aCase)] : [];
}

const domainProblem = (
  serverAnswers: Omit<Problem, "record" | "expected" | "found" | "severity"> & Partial<Problem>,
): Problem => ({
  record: null,
  expected: null,
  found: null,
  severity: "error",
  ...serverAnswers,
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
      ? "None of the domain's name servers answers this server, so the records can't be checked. Verified records stay verified."
      : "A name server that is listed for the domain but doesn't answer slows down lookups, and makes some fail.",
    found: silent.map((name) => `${name}: ${reasonOf(name) ?? "no answer"}`).join("\n"),
    severity: isAll ? "error" : "warning",
    steps: isAll
      ? [
          "Try again in a few minutes.",
          "Make sure that this server can reach other name servers on UDP and TCP port 53.",
        ]
      : [`At the registrar of ${zone}, remove the name server, or set it up to serve the domain.`],
  });
}

function brokenDnssec({ zone }: RecordCase): Problem {
  return domainProblem({
    code: "dnssec_broken",
    title: "DNSSEC validation fails",
    explanation: `The name servers of ${zone} answer, but the resolver rejects their answers (SERVFAIL). This usually means broken DNSSEC, often after a change of DNS provider. Receivers then see none of the records.`,
    found: "SERVFAIL",
    steps: [
      `At the registrar of ${zone}, delete the old DS record, or replace it with the one of the new provider.`,
    ],
  });
}

function noAnswer({ zone }: RecordCase): Problem {
  return domainProblem({
    code: "no_answer",
    title: `No name server answers for ${zone}`,
    explanation:
      "The resolver could not find a name server that answers. Verified records stay verified.",
    steps: [
      `Check at the registrar which name servers ${zone} has, and whether they serve it.`,
      "Try again in a few minutes.",
    ],
  });
}

function unknownDomain({ zone, domain }: RecordCase): Problem {
  return domainProblem({
    code: "unknown_domain",
    title: `${domain} does not exist in DNS`,
    explanation: `No name server serves ${zone}, or ${domain} does not exist there.`,
    steps: [
      `Check the spelling of ${domain}.`,
      `Make sure that ${zone} is registered and has name servers.`,
    ],
  });
}

import { Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";
import {
  doctorQuery,
  type DomainDetail,
  type DomainRecord,
  type RecordProblem,
  useVerifyDomain,
} from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";

import classes from "./domain.module.css";

/** The steps until a domain sends and receives, with the results of the automatic checks. */
export function DomainSetUp({ domain, checks }: { domain: DomainDetail; checks: RecordChecks }) {
  const doctor = useQuery(doctorQuery(domain));
  const steps = setUpSteps(domain, doctor.data?.problems ?? null);
  return (
    <Panel title="Setup" aside={<NextCheck {...checks} />}>
      <ol className={classes.setUpSteps} aria-live="polite">
        {steps.map(({ name, tone, state, text }, place) => (
          <li key={name} className={classes.setUpStep} data-tone={tone}>
            <span className={classes.stepNumber} aria-hidden="true">
              {place + 1}
            </span>
            <div>
              <Group gap="4px 12px" mih={28}>
                <Title order={3} size="sm">
                  {name}
                </Title>
                <Status tone={tone} label={state} />
              </Group>
              <Text size="sm" c="dimmed">
                {typographic(text)}
              </Text>
            </div>
          </li>
        ))}
      </ol>
      {!domain.isOwnershipVerified && (
        <Text size="sm" c="dimmed" mt="md">
          Publish all records below in one visit to the DNS provider of {domain.zone}. Most
          providers publish new records within a few minutes.
        </Text>
      )}
    </Panel>
  );
}

function NextCheck({ mayCheck, isChecking, secondsLeft }: RecordChecks) {
  if (!mayCheck)
    return (
      <Text size="sm" c="dimmed">
        You need the Domains privilege to check records.
      </Text>
    );
  if (!isChecking && secondsLeft === null) return null;
  return (
    <Text size="sm" c="dimmed" className={classes.next}>
      {isChecking ? "Checking…" : `Next check in ${secondsLeft} s`}
    </Text>
  );
}

export type SetUpStep = {
  name: "Verify ownership" | "Send" | "Receive";
  tone: StatusTone;
  /** One word or two next to the name. */
  state: string;
  /** What the last check found, and what is missing. */
  text: string;
};

type Known = Pick<DomainDetail, "name" | "isOwnershipVerified" | "checkedAt" | "records">;

type Kind = DomainRecord["kind"];

/**
 * The three steps of setting up a domain, as of the last check.
 *
 * @param problems of all records; null while loading
 */
export const setUpSteps = (domain: Known, problems: RecordProblem[] | null): SetUpStep[] => [
  ownershipStep(domain, problems ?? []),
  sendingStep(domain, problems ?? []),
  receivingStep(domain, problems ?? []),
];

/** Whether the required records and the MX record were found. */
export const hasRequiredRecords = (domain: Known) =>
  domain.isOwnershipVerified &&
  ["spf", "dkim", "mx"].every((kind) => isFound(domain, kind as Kind));

const isFound = ({ records }: Known, kind: Kind) =>
  records.some((record) => record.kind === kind && record.isVerified);

/** A record that is published, but not as it should be. */
const incorrect = (problems: RecordProblem[], kinds: Kind[]) =>
  problems.find(
    ({ record, difference, severity }) =>
      record !== null &&
      kinds.includes(record) &&
      severity === "error" &&
      (difference?.found.length ?? 0) > 0,
  );

const waiting = (text: string) => ({ tone: "waiting" as const, state: "Waiting", text });

const incorrectStep = ({ title }: RecordProblem) => ({
  tone: "failed" as const,
  state: "Incorrect",
  text: `${title}. The DNS doctor says what to change.`,
});

function ownershipStep(domain: Known, problems: RecordProblem[]): SetUpStep {
  const name = "Verify ownership";
  if (domain.isOwnershipVerified)
    return { name, tone: "done", state: "Done", text: "Keep the ownership record published." };
  const problem = incorrect(problems, ["ownership"]);
  if (problem) return { name, ...incorrectStep(problem) };
  if (domain.checkedAt === null)
    return { name, ...waiting("Looking for the ownership record for the first time.") };
  return {
    name,
    ...waiting(
      "The ownership record wasn’t found yet. Publish it within seven days of creating the domain.",
    ),
  };
}

function sendingStep(domain: Known, problems: RecordProblem[]): SetUpStep {
  const name = "Send";
  const missing = (["spf", "dkim"] as const).filter((kind) => !isFound(domain, kind));
  const problem = incorrect(problems, missing);
  if (problem) return { name, ...incorrectStep(problem) };
  if (missing.length > 0) {
    const names = missing.map((kind) => RECORD_KINDS[kind].label).join(" and ");
    return { name, ...waiting(`${names} ${missing.length > 1 ? "weren’t" : "wasn’t"} found yet.`) };
  }
  if (!domain.isOwnershipVerified)
    return { name, ...waiting("SPF and DKIM are correct. Only ownership is missing.") };
  return {
    name,
    tone: "done",
    state: "Done",
    text: "SPF and DKIM are correct. The domain can send.",
  };
}

function receivingStep(domain: Known, problems: RecordProblem[]): SetUpStep {
  const name = "Receive";
  if (isFound(domain, "mx"))
    return domain.isOwnershipVerified
      ? { name, tone: "done", state: "Done", text: `Mail to ${domain.name} arrives here.` }
      : { name, ...waiting("The MX record is correct. Only ownership is missing.") };
  if (incorrect(problems, ["mx"]) || hasOtherMx(domain))
    return {
      name,
      tone: "none",
      state: "Elsewhere",
      text: `Mail to ${domain.name} arrives at another server. Change the MX record when you want to receive it here.`,
    };
  return {
    name,
    tone: "none",
    state: "Optional",
    text: "Publish the MX record if this domain should have mailboxes here.",
  };
}

const hasOtherMx = ({ records }: Known) =>
  records.some(({ kind, answers }) => kind === "mx" && answers.some((one) => one.kind === "found"));

const INTERVAL_MS = 40_000;

/** Half an hour: a page that is left open doesn't query DNS for days. */
const AUTOMATIC_MAX = 45;

/**
 * Checks of a domain's records: on request and, until the domain is set up, every 40 seconds while the page is visible.
 * A domain that was never checked is checked at once.
 */
export function useRecordChecks(domain: DomainDetail) {
  const verify = useVerifyDomain(domain.id);
  const mayCheck = usePrivileges().has("domains") && domain.isPublishable;
  const [isRequested, setIsRequested] = useState(false);
  const [left, setLeft] = useState(AUTOMATIC_MAX);
  const [now, setNow] = useState(() => Date.now());
  const [dueAt, setDueAt] = useState(() => Date.now() + INTERVAL_MS);
  const hasBegun = useRef(false);
  const { isPending, mutate } = verify;
  const isAutomatic = mayCheck && !hasRequiredRecords(domain) && left > 0;

  const check = (isAsked: boolean) => {
    setIsRequested(isAsked);
    setNow(Date.now());
    setDueAt(Date.now() + INTERVAL_MS);
    mutate();
  };

  useEffect(() => {
    if (!mayCheck || domain.checkedAt !== null || hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [mayCheck, domain.checkedAt, mutate]);

  useEffect(() => {
    if (!isAutomatic || isPending) return;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() < dueAt || document.hidden) return;
      clearInterval(timer);
      setLeft((count) => count - 1);
      check(false);
    }, 1000);
    return () => clearInterval(timer);
    // A check sets the next one's time.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isAutomatic, isPending, dueAt]);

  return {
    mayCheck,
    isChecking: isPending,
    /** Until the next automatic check; null if there is none. */
    secondsLeft: isAutomatic ? Math.max(1, Math.ceil((dueAt - now) / 1000)) : null,
    /** Error of a requested check; the page shows what automatic ones find. */
    error: isRequested ? verify.error : null,
    check: () => {
      if (isPending) return;
      setLeft(AUTOMATIC_MAX);
      check(true);
    },
  };
}

export type RecordChecks = ReturnType<typeof useRecordChecks>;

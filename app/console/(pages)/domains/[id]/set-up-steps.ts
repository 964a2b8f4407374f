import { RECORD_LABELS } from "#app/console/(pages)/domains/domain-labels.ts";
import type {
  DomainDetail,
  DomainRecord,
  RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

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
export function setUpSteps(domain: Known, problems: RecordProblem[] | null): SetUpStep[] {
  return [
    ownershipStep(domain, problems ?? []),
    sendingStep(domain, problems ?? []),
    receivingStep(domain, problems ?? []),
  ];
}

/** Whether the required records and the MX record were found. */
export const isSetUp = (domain: Known) =>
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
const wrong = ({ title }: RecordProblem) => ({
  tone: "failed" as const,
  state: "Incorrect",
  text: `${title}. The DNS doctor says what to change.`,
});

function ownershipStep(domain: Known, problems: RecordProblem[]): SetUpStep {
  const name = "Verify ownership";
  if (domain.isOwnershipVerified)
    return { name, tone: "done", state: "Done", text: "Keep the ownership record published." };
  const problem = incorrect(problems, ["ownership"]);
  if (problem) return { name, ...wrong(problem) };
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
  if (problem) return { name, ...wrong(problem) };
  if (missing.length > 0) {
    const names = missing.map((kind) => RECORD_LABELS[kind].label).join(" and ");
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

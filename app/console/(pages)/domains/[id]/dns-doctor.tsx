import { Box, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { isChecked } from "#app/console/(pages)/domains/domain-labels.ts";
import { RECORD_KINDS } from "#server/universal/domain-record-kinds.ts";
import {
  doctorQuery,
  type DomainDetail,
  type DomainRecord,
  type RecordProblem,
} from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { pluralize, typographic } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { RecordStatus } from "./domain-records.tsx";
import classes from "./domain.module.css";

/** Lists each record with its diagnosis. Records with problems start expanded. */
export function DnsDoctor({ domain }: { domain: DomainDetail }) {
  const doctor = useQuery(doctorQuery(domain));
  const problems = doctor.data?.problems ?? null;
  const general = problems?.filter(({ record }) => record === null) ?? [];
  const checked = domain.records.filter(isChecked);
  return (
    <Panel title="DNS doctor">
      <Text c="dimmed" role="status">
        {summaryText(domain)}
      </Text>
      <Text c="dimmed" mb="md">
        {returnPathText(domain)}
      </Text>
      <FormError error={doctor.error} />
      {general.map((problem) => (
        <Box key={problem.code} mb={20}>
          <RecordProblemDetails problem={problem} value="" />
        </Box>
      ))}
      <div className={classes.checkedRecords}>
        {checked.map((record) => (
          <DoctorRecord key={record.kind} record={record} problems={problems} />
        ))}
      </div>
    </Panel>
  );
}

type RecordDiagnosisProps = { record: DomainRecord; problems: RecordProblem[] | null };

const DoctorRecord = ({ record, problems }: RecordDiagnosisProps) => (
  <details className={classes.checkedRecord} open={isOpen(record, problems)}>
    <summary className={classes.summary}>
      <IconChevronRight size={16} className={classes.chevron} aria-hidden="true" />
      <Text span fw={500}>
        {RECORD_KINDS[record.kind].label}
      </Text>
      <RecordStatus record={record} problems={problems} />
    </summary>
    <div className={classes.content}>
      <RecordDiagnosis record={record} problems={problems} />
    </div>
  </details>
);

function isOpen(record: DomainRecord, problems: RecordProblem[] | null): boolean {
  if (record.need === "optional") return false;
  return problems?.some(({ record: kind }) => kind === record.kind) ?? false;
}

function summaryText({ records, checkedAt }: DomainDetail): string {
  if (checkedAt === null) return "The records haven’t been checked yet.";
  const needed = records.filter(({ need, isVerified }) => need === "required" && !isVerified);
  if (needed.length === 0) return "All records required for sending are verified.";
  const names = needed
    .map(({ kind }) => RECORD_KINDS[kind].label)
    .join(", ")
    .replace(/, (?=[^,]+$)/, " and ");
  return `The domain can’t send until ${names} ${needed.length === 1 ? "is" : "are"} verified.`;
}

function returnPathText({ returnPath: path, isSpfAligned: isAligned }: DomainDetail): string {
  if (isAligned) return `Bounces go to ${path}, so SPF and DKIM both count for DMARC.`;
  return `Bounces go to ${path}, so only DKIM counts for DMARC. Publish the return path records so that SPF counts too.`;
}

/** Longer values are abbreviated to their first and last characters. */
const FULL_LENGTH_MAX = 60;

const SHOWN = { start: 28, end: 8 };

/** One or more quoted strings, as in a zone file. */
const QUOTED = String.raw`"[^"]*"(?: "[^"]*")*`;

/** The host in the server's steps, which say "with the host HOST". */
const HOST = String.raw`(?<=with the host )[^\s(]+`;

/**
 * Explains what is wrong with a record and how to fix it.
 *
 * @param problems of all records; null while loading
 */
function RecordDiagnosis({
  record,
  problems,
}: {
  record: DomainRecord;
  problems: RecordProblem[] | null;
}) {
  const own = (problems ?? []).filter(({ record: kind }) => kind === record.kind);
  return (
    <Stack gap="md">
      {own.map((problem) => (
        <RecordProblemDetails key={problem.code} problem={problem} value={record.value} />
      ))}
      {own.length === 0 && <Text>{statusText(record, problems === null)}</Text>}
      <ServerAnswers answers={record.answers} name={record.name} type={record.type} />
    </Stack>
  );
}

function statusText({ isVerified }: DomainRecord, isLoading: boolean): string {
  if (isLoading) return "Checking…";
  return isVerified ? "This record is correct." : "We haven’t found this record yet.";
}

/** @param value the record's expected value */
const RecordProblemDetails = ({ problem, value }: { problem: RecordProblem; value: string }) => (
  <Stack gap="xs" maw={820}>
    <Text component="h3" m={0} fw={600}>
      {typographic(problem.title)}
    </Text>
    <Text>{typographic(problem.explanation)}</Text>
    {problem.difference && <RecordDifference {...problem.difference} />}
    {problem.steps.length > 0 && (
      <ol className={classes.fixSteps}>
        {problem.steps.map((step) => (
          <li key={step}>
            <StepText step={step} value={value} />
          </li>
        ))}
      </ol>
    )}
  </Stack>
);

/** One step of a fix. Highlights hosts and values; values can be copied. */
function StepText({ step, value }: { step: string; value: string }) {
  const literal = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = step.split(new RegExp(`(${literal ? `${literal}|` : ""}${QUOTED}|${HOST})`));
  // No period after the value's Copy button.
  if (parts.at(-1) === ".") parts.pop();
  return parts.map((part, place) =>
    place % 2 === 1 ? (
      <StepValue key={place} text={part} isValue={part === value || part.startsWith('"')} />
    ) : (
      <span key={place}>{typographic(part)}</span>
    ),
  );
}

function StepValue({ text, isValue }: { text: string; isValue: boolean }) {
  const isLong = text.length > FULL_LENGTH_MAX;
  return (
    <>
      <code className={classes.fixValue}>
        {isLong ? `${text.slice(0, SHOWN.start)}…${text.slice(-SHOWN.end)}` : text}
      </code>
      {isValue && (
        <>
          {" "}
          <CopyButton value={text} label="value" />
        </>
      )}
    </>
  );
}

type Compared = NonNullable<RecordProblem["difference"]>;

type Piece = Compared["expected"][number];

/** Compares the expected and the published value character by character, not by color alone. */
function RecordDifference({ expected, found }: Compared) {
  const isMarked = [...expected, ...found].some(({ mark }) => mark !== "same");
  return (
    <div className={classes.difference}>
      <dl className={classes.texts}>
        <dt>Expected</dt>
        <dd>
          <DifferenceText pieces={expected} />
        </dd>
        <dt>Found</dt>
        <dd>{found.length > 0 ? <DifferenceText pieces={found} /> : "Nothing"}</dd>
      </dl>
      {isMarked && found.length > 0 && (
        <p className={classes.legend} aria-hidden="true">
          <ins className={classes.missing}>Underlined text</ins> is missing from DNS.{" "}
          <del className={classes.extra}>Struck-through text</del> shouldn’t be there.
        </p>
      )}
    </div>
  );
}

const DifferenceText = ({ pieces }: { pieces: Piece[] }) => (
  <code className={classes.text}>{pieces.map(differencePiece)}</code>
);

function differencePiece({ text, mark }: Piece, place: number) {
  if (mark === "same") return <span key={place}>{text}</span>;
  const [Mark, tone] =
    mark === "missing" ? (["ins", "missing"] as const) : (["del", "extra"] as const);
  return (
    <Mark key={place} className={classes[tone]}>
      <VisuallyHidden component="span">{` [${tone}: `}</VisuallyHidden>
      {text}
      <VisuallyHidden component="span">{"] "}</VisuallyHidden>
    </Mark>
  );
}

type Answer = DomainRecord["answers"][number];

const REASONS: Record<string, string> = {
  TIMEOUT: "No response (timeout).",
  SERVFAIL: "Server failure (SERVFAIL).",
  REFUSED: "Query refused (REFUSED). The server may not host this zone.",
  NO_TOP_LEVEL: "Ignored: this server denies that any name exists.",
};

/** The raw answer of each name server, collapsed: only DNS administrators need it. */
function ServerAnswers({ answers, name, type }: { answers: Answer[]; name: string; type: string }) {
  if (answers.length === 0) return null;
  const servers = pluralize(answers.length, "server");
  return (
    <details className={classes.answers}>
      <summary>
        Answers from {servers} for {type} {name}
      </summary>
      <ul className={classes.answerList}>
        {answers.map((answer) => (
          <li key={`${answer.server} ${answer.address}`} className={classes.answer}>
            <Text span className={classes.server}>
              {answer.server === "resolver" ? "This server’s resolver" : answer.server}
              {answer.address && (
                <Text span display="block" size="xs" c="dimmed">
                  {answer.address}
                </Text>
              )}
            </Text>
            <span className={classes.answerRecords}>
              <DnsAnswerText answer={answer} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function DnsAnswerText({ answer: { kind, records, cname, reason } }: { answer: Answer }) {
  if (kind === "failed") return REASONS[reason ?? ""] ?? `No response (${reason ?? "unknown"}).`;
  return (
    <>
      {cname && <span>CNAME to {cname}. </span>}
      {kind === "no_name" && "The name doesn’t exist."}
      {kind === "no_data" && "The name exists but has no such record."}
      {records.map((record, place) => (
        <code key={place}>{record}</code>
      ))}
    </>
  );
}

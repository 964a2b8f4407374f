import { Text } from "@mantine/core";

import type { DomainRecord, RecordProblem } from "#app/console/(pages)/domains/queries.ts";
import { CopyButton } from "#app/console/ui/code.tsx";
import { typographic } from "#app/console/ui/format.ts";

import classes from "./record-diagnosis.module.css";
import { RecordDifference } from "./record-difference.tsx";
import { ServerAnswers } from "./server-answers.tsx";

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
export function RecordDiagnosis({
  record,
  problems,
}: {
  record: DomainRecord;
  problems: RecordProblem[] | null;
}) {
  const own = (problems ?? []).filter(({ record: kind }) => kind === record.kind);
  return (
    <div className={classes.diagnosis}>
      {own.map((problem) => (
        <RecordProblemDetails key={problem.code} problem={problem} value={record.value} />
      ))}
      {own.length === 0 && <Text>{statusText(record, problems === null)}</Text>}
      <ServerAnswers answers={record.answers} name={record.name} type={record.type} />
    </div>
  );
}

function statusText({ isVerified }: DomainRecord, isLoading: boolean): string {
  if (isLoading) return "Checking…";
  return isVerified ? "This record is correct." : "This record wasn’t found yet.";
}

/** @param value the record's expected value */
export function RecordProblemDetails({
  problem,
  value,
}: {
  problem: RecordProblem;
  value: string;
}) {
  return (
    <div className={classes.problem}>
      <h3 className={classes.title}>{typographic(problem.title)}</h3>
      <Text>{typographic(problem.explanation)}</Text>
      {problem.difference && <RecordDifference {...problem.difference} />}
      {problem.steps.length > 0 && (
        <ol className={classes.steps}>
          {problem.steps.map((step) => (
            <li key={step}>
              <StepText step={step} value={value} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

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
      <code className={classes.value}>
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

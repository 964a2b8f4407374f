import { Text } from "@mantine/core";

import type { DomainRecord, RecordProblem } from "#app/console/(pages)/domains/queries.ts";

import classes from "./diagnosis.module.css";
import { Difference } from "./difference.tsx";
import { ServerAnswers } from "./server-answers.tsx";
import { StepText } from "./step-text.tsx";

/**
 * What was found where a record belongs, what is wrong with it, and what to do.
 *
 * @param problems of all records; null while they are looked for
 */
export function Diagnosis({
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
        <ProblemOfRecord key={problem.code} problem={problem} value={record.value} />
      ))}
      {own.length === 0 && <Text>{wordsWithoutProblem(record, problems === null)}</Text>}
      <ServerAnswers answers={record.answers} name={record.name} type={record.type} />
    </div>
  );
}

function wordsWithoutProblem({ is_verified: isFound }: DomainRecord, isLooking: boolean): string {
  if (isLooking) return "Looking closer.";
  return isFound ? "It stands in the DNS as it should." : "It was not found yet.";
}

/** @param value what is to be published */
export function ProblemOfRecord({ problem, value }: { problem: RecordProblem; value: string }) {
  return (
    <section className={classes.problem} aria-label={problem.title}>
      <h3 className={classes.title}>{problem.title}</h3>
      <Text>{problem.explanation}</Text>
      {problem.difference && <Difference {...problem.difference} />}
      {problem.steps.length > 0 && (
        <ol className={classes.steps}>
          {problem.steps.map((step) => (
            <li key={step}>
              <StepText step={step} value={value} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

"use client";

import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { type Meaning, Status } from "#app/console/ui/status.tsx";

import { nameOfCheck, sentence } from "./health-words.ts";
import classes from "./health.module.css";
import { type Check, checksQuery, useRunChecks } from "./queries.ts";

const states: Record<NonNullable<Check["state"]>, { word: string; meaning: Meaning }> = {
  failed: { word: "Failed", meaning: "failed" },
  warning: { word: "Look at this", meaning: "waiting" },
  unknown: { word: "Not known", meaning: "none" },
  ok: { word: "Well", meaning: "done" },
};
const ORDER = Object.keys(states);

/** What the appliance found out about itself, the worst first, and what to do about it. */
export function Checks() {
  const checks = useQuery(checksQuery);
  const run = useRunChecks();
  const isRunning = checks.data?.data.some((check) => check.is_running) ?? false;
  return (
    <Panel
      title="Checks"
      aside={
        <Button
          variant="default"
          size="xs"
          aria-busy={isRunning || run.isPending}
          onClick={() => run.mutate()}
        >
          {isRunning ? "Looking" : "Check again"}
        </Button>
      }
    >
      <FormProblem error={run.error} />
      <QueryView query={checks} what="the checks" skeleton={<Skeleton height={200} />}>
        {({ data }) => (
          <ul className={classes.checks}>
            {data.toSorted(worstFirst).map((check) => (
              <Row key={check.name} check={check} />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

const rank = ({ state }: Check) => (state === null ? ORDER.length : ORDER.indexOf(state));
const worstFirst = (a: Check, b: Check) => rank(a) - rank(b);

function Row({ check }: { check: Check }) {
  return (
    <li className={classes.check}>
      <span className={classes.name}>{nameOfCheck(check.name)}</span>
      <span>
        {check.state === null ? (
          <Status meaning="none" word="Looking" />
        ) : (
          <Status {...states[check.state]} />
        )}
      </span>
      <div className={classes.words}>
        {check.found && <Text>{sentence(check.found)}</Text>}
        {check.advice && (
          <Text c="dimmed">
            {sentence(check.advice)
              .split("`")
              // What stands between backticks is code.
              .map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}
          </Text>
        )}
        {check.command && <CodeBlock code={check.command} what="command" />}
      </div>
    </li>
  );
}

"use client";

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { InlineCode } from "#app/console/ui/inline-code.tsx";
import { toSentence } from "#app/console/ui/server-text.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { summarizeChecks, checkStatus } from "./check-status.ts";
import classes from "./server-checks.module.css";
import { type Check, type ChecksAnswer, checksQuery, isRunning, useRunChecks } from "./queries.ts";

/** The server's checks, for operators, updated as results come in. */
export function ServerChecks() {
  const checks = useQuery(checksQuery);
  return (
    <QueryView query={checks} noun="the checks" skeleton={<ChecksSkeleton />}>
      {(answer) => (
        <section>
          <div className={classes.head}>
            <ChecksSummary answer={answer} />
            <CheckAgain answer={answer} />
          </div>
          <CheckList label="Server checks" checks={answer.data} />
        </section>
      )}
    </QueryView>
  );
}

/** "9 of 12 checks passed, 1 failed." */
export function ChecksSummary({ answer }: { answer: ChecksAnswer }) {
  return (
    <span role="status" className={classes.sum}>
      {isRunning(answer) ? "Checking the server…" : `${summarizeChecks(answer.data)}.`}
    </span>
  );
}

export function CheckAgain({ answer }: { answer: ChecksAnswer }) {
  const run = useRunChecks();
  const isRunningNow = isRunning(answer) || run.isPending;
  return (
    <Button
      variant="default"
      aria-disabled={isRunningNow}
      data-disabled={isRunningNow || undefined}
      onClick={() => !isRunningNow && run.start()}
    >
      {isRunningNow ? "Checking…" : "Check again"}
    </Button>
  );
}

export function CheckList({ label, checks }: { label: string; checks: Check[] }) {
  return (
    <ul className={classes.checks} aria-label={label}>
      {checks.map((check) => (
        <CheckRow key={check.name} check={check} />
      ))}
    </ul>
  );
}

function CheckRow({ check }: { check: Check }) {
  const hasPassed = check.state === "ok";
  return (
    <li className={classes.check}>
      <div className={classes.title}>{check.label}</div>
      <div className={classes.state}>
        <Status {...checkStatus(check)} />
      </div>
      <div className={classes.words}>
        <div>{check.found ? <InlineCode text={toSentence(check.found)} /> : "No result yet."}</div>
        {check.advice && (
          <div className={classes.advice}>
            <InlineCode text={toSentence(check.advice)} />
          </div>
        )}
        {check.command && !hasPassed && <CodeBlock code={check.command} label="command" />}
        {check.checkedAt && (
          <div className={classes.moment}>
            {check.isRunning ? (
              "Checking again…"
            ) : (
              <>
                Checked <RelativeTime at={check.checkedAt} />
              </>
            )}
          </div>
        )}
      </div>
    </li>
  );
}

function ChecksSkeleton() {
  return (
    <>
      <Skeleton height={34} mb={12} />
      <Skeleton height={12 * 76} radius="lg" />
    </>
  );
}

"use client";

import { Button, Skeleton, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { InlineCode } from "#app/console/ui/inline-code.tsx";
import { toSentence } from "#app/console/ui/server-text.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { checkTitles, summarizeChecks, checkStatus, sortBySeverity } from "./check-status.ts";
import classes from "./server-checks.module.css";
import { type Check, checksQuery, isRunning, useRunChecks } from "./queries.ts";

/**
 * The server's checks, for operators, updated as results come in.
 *
 * @param title section heading; with it, the worst results come first
 */
export function ServerChecks({ title }: { title?: string }) {
  const checks = useQuery(checksQuery);
  return (
    <QueryView query={checks} noun="the checks" skeleton={<ChecksSkeleton />}>
      {(answer) => (
        <section aria-label={title}>
          <div className={classes.head}>
            {title && <Title order={2}>{title}</Title>}
            <span role="status" className={classes.sum}>
              {isRunning(answer) ? "Checking the server…" : `${summarizeChecks(answer.data)}.`}
            </span>
            <CheckAgain isBusy={isRunning(answer)} />
          </div>
          <ul className={classes.checks} aria-label="Server checks">
            {(title ? sortBySeverity(answer.data) : answer.data).map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </ul>
        </section>
      )}
    </QueryView>
  );
}

function CheckAgain({ isBusy }: { isBusy: boolean }) {
  const run = useRunChecks();
  const isRunningNow = isBusy || run.isPending;
  return (
    <Button
      variant="default"
      aria-disabled={isRunningNow}
      data-disabled={isRunningNow || undefined}
      onClick={() => !isRunningNow && run.mutate()}
    >
      {isRunningNow ? "Checking…" : "Check again"}
    </Button>
  );
}

function CheckRow({ check }: { check: Check }) {
  const hasPassed = check.state === "ok";
  return (
    <li className={classes.check}>
      <div className={classes.title}>{checkTitles[check.name]}</div>
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
        {check.checked_at && (
          <div className={classes.moment}>
            {check.is_running ? (
              "Checking again…"
            ) : (
              <>
                Checked <RelativeTime at={check.checked_at} />
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

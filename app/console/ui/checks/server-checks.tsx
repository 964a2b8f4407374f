"use client";

import { Button, Skeleton, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { checkTitles, summarizeChecks, checkStatus, sortBySeverity } from "./check-status.ts";
import classes from "./server-checks.module.css";
import { type Check, checksQuery, isRunning, useRunChecks } from "./queries.ts";

/**
 * How the server is, part by part, as the findings come; for operators.
 *
 * @param title of the part of the page that it is; then the worst comes first
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
              {isRunning(answer) ? "Checking this server…" : `${summarizeChecks(answer.data)}.`}
            </span>
            <CheckAgain isBusy={isRunning(answer)} />
          </div>
          <ul className={classes.checks} aria-label="Checks of this server">
            {(title ? sortBySeverity(answer.data) : answer.data).map((check) => (
              <Entry key={check.name} check={check} />
            ))}
          </ul>
        </section>
      )}
    </QueryView>
  );
}

function CheckAgain({ isBusy }: { isBusy: boolean }) {
  const run = useRunChecks();
  const isOn = isBusy || run.isPending;
  return (
    <Button
      variant="default"
      aria-disabled={isOn}
      data-disabled={isOn || undefined}
      onClick={() => !isOn && run.mutate()}
    >
      {isOn ? "Checking" : "Check again"}
    </Button>
  );
}

function Entry({ check }: { check: Check }) {
  const isWell = check.state === "ok";
  return (
    <li className={classes.check}>
      <div className={classes.title}>{checkTitles[check.name]}</div>
      <div className={classes.state}>
        <Status {...checkStatus(check)} />
      </div>
      <div className={classes.words}>
        <div>{check.found ? `${capital(check.found)}.` : "Nothing is known yet."}</div>
        {check.advice && (
          <div className={classes.advice}>
            <WithCode text={`${capital(check.advice)}.`} />
          </div>
        )}
        {check.command && !isWell && <CodeBlock code={check.command} label="command" />}
        {check.checked_at && (
          <div className={classes.moment}>
            {check.is_running ? (
              "Checking again"
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

/** What stands between backticks is code. */
function WithCode({ text }: { text: string }) {
  return text
    .split("`")
    .map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part));
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function ChecksSkeleton() {
  return (
    <>
      <Skeleton height={34} mb={12} />
      <Skeleton height={12 * 76} radius="lg" />
    </>
  );
}

import { Button, Skeleton } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";

import { useAction } from "./actions.tsx";
import { CodeBlock, InlineCode } from "./code.tsx";
import { toSentence } from "./format.ts";
import { QueryView } from "./query-view.tsx";
import classes from "./server-checks.module.css";
import { Status, type StatusTone } from "./status.tsx";
import { RelativeTime } from "./time.tsx";

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
export const ChecksSummary = ({ answer }: { answer: ChecksAnswer }) => (
  <span role="status" className={classes.sum}>
    {isRunning(answer) ? "Checking the server…" : `${summarizeChecks(answer.data)}.`}
  </span>
);

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

export const CheckList = ({ label, checks }: { label: string; checks: Check[] }) => (
  <ul className={classes.checks} aria-label={label}>
    {checks.map((check) => (
      <CheckRow key={check.name} check={check} />
    ))}
  </ul>
);

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

const ChecksSkeleton = () => (
  <>
    <Skeleton height={34} mb={12} />
    <Skeleton height={12 * 76} radius="lg" />
  </>
);

const states: Record<NonNullable<Check["state"]>, { label: string; tone: StatusTone }> = {
  ok: { label: "OK", tone: "done" },
  warning: { label: "Warning", tone: "waiting" },
  failed: { label: "Failed", tone: "failed" },
  unknown: { label: "Unknown", tone: "none" },
};

export const checkStatus = ({ state }: Check): { label: string; tone: StatusTone } =>
  state === null ? { label: "Checking…", tone: "info" } : states[state];

/** "9 of 12 checks passed, 1 failed" */
function summarizeChecks(checks: Check[]): string {
  const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
  const parts = [
    [count("failed"), "failed"],
    [count("warning"), "with warnings"],
    [count("unknown"), "unknown"],
  ] as const;
  const rest = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return [`${count("ok")} of ${checks.length} checks passed`, ...rest].join(", ");
}

export type ChecksAnswer = AnswerOf<"operate.listChecks">;

export type Check = ChecksAnswer["data"][number];

const WHILE_RUNNING_MS = 1_000;
const REFRESH_MS = 30_000;

const isRunning = ({ data }: ChecksAnswer): boolean => data.some((check) => check.isRunning);

/** Polled faster while checks run, so that results show as they come in. */
export const checksQuery = queryOf(
  "operate.listChecks",
  {},
  {
    refetchInterval: ({ state }) =>
      state.data && isRunning(state.data) ? WHILE_RUNNING_MS : REFRESH_MS,
  },
);

function useRunChecks() {
  const client = useQueryClient();
  return useAction({
    call: () => change("operate.runChecks", {}),
    onDone: (answer) => client.setQueryData(checksQuery.queryKey, answer),
  });
}

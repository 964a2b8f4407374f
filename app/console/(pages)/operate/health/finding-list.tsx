import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import type { AnswerOf } from "#app/console/console-client.ts";
import { CodeBlock, InlineCode } from "#app/console/ui/code.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";
import { pluralize, toSentence } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import {
  type Check,
  CheckAgain,
  CheckList,
  checksQuery,
  ChecksSummary,
} from "#app/console/ui/server-checks.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

export type Health = AnswerOf<"operate.getHealth">;

const TONES: Record<Todo, StatusTone> = {
  now: "failed",
  soon: "waiting",
  wait: "info",
  check: "none",
};

/** All that is wrong with the server, by what to do about it, and the checks that passed. */
export function FindingList({ health }: { health: Health }) {
  const checks = useQuery(checksQuery);
  return (
    <QueryView query={checks} noun="the checks" skeleton={<Skeleton height={280} radius="lg" />}>
      {(answer) => {
        const findings = listFindings(health, answer.data);
        const groups = Map.groupBy(findings, ({ todo }) => todo);
        const passed = answer.data.filter(({ state }) => state === "ok");
        return (
          <Stack gap="md">
            {(Object.keys(TODOS) as Todo[]).map((todo) => (
              <FindingGroup key={todo} todo={todo} findings={groups.get(todo) ?? []} />
            ))}
            <Panel title="Checks" aside={<CheckAgain answer={answer} />}>
              <Stack gap="sm">
                {isHealthy(findings, answer.data) && <Status tone="done" label="Nothing to fix" />}
                <ChecksSummary answer={answer} />
                {passed.length > 0 && (
                  <details>
                    <summary>Show {pluralize(passed.length, "passed check")}</summary>
                    <CheckList label="Passed checks" checks={passed} />
                  </details>
                )}
              </Stack>
            </Panel>
          </Stack>
        );
      }}
    </QueryView>
  );
}

/** False while a check runs or has no result yet, because it may still report a finding. */
export const isHealthy = (findings: HealthFinding[], checks: Check[]): boolean =>
  findings.length === 0 && checks.every(({ state, isRunning }) => state !== null && !isRunning);

function FindingGroup({ todo, findings }: { todo: Todo; findings: HealthFinding[] }) {
  if (findings.length === 0) return null;
  const { title, help } = TODOS[todo];
  return (
    <Panel title={`${title} (${findings.length})`} aside={<Text c="dimmed">{help}</Text>}>
      <Timeline>
        {findings.map(({ key, subject, found, advice, command, link, at }) => (
          <TimelineEntry
            key={key}
            tone={TONES[todo]}
            title={
              <>
                {subject}: <InlineCode text={toSentence(found)} />
              </>
            }
            aside={
              at && (
                <>
                  {at.label} <RelativeTime at={at.time} />
                </>
              )
            }
          >
            {advice && <InlineCode text={toSentence(advice)} />}
            {command && <CodeBlock code={command} label="command" />}
            {link && (
              <div>
                <Anchor component={Link} underline="always" href={link.href}>
                  {link.label}
                </Anchor>
              </div>
            )}
          </TimelineEntry>
        ))}
      </Timeline>
    </Panel>
  );
}

/** What the operator has to do about a finding. */
type Todo = "now" | "soon" | "wait" | "check";

export type HealthFinding = {
  key: string;
  todo: Todo;
  /** What it is about. */
  subject: string;
  found: string;
  advice?: string | null;
  command?: string | null;
  /** Where to act on it. */
  link?: { label: string; href: string };
  /** When it was found, and what that time is. */
  at?: { label: string; time: string };
};

/** In the order in which to work on them. */
const TODOS: Record<Todo, { title: string; help: string }> = {
  now: { title: "Fix now", help: "Mail, data, or access is at risk." },
  soon: { title: "Fix soon", help: "Nothing is lost yet." },
  wait: { title: "Wait", help: "Posthouse keeps retrying. Investigate if it persists." },
  check: { title: "Check again", help: "The last check gave no result." },
};

const ROLES = ["web", "worker", "mail"] as const;
const QUEUE = "/console/operate/queue";

/** All that is wrong with the server, each once. */
export function listFindings(
  { alarms, processes, jobs }: Pick<Health, "alarms" | "processes" | "jobs">,
  checks: Check[],
): HealthFinding[] {
  const missing = ROLES.filter(
    (role) => !processes.some((process) => process.role === role && process.isAlive),
  );
  return [
    ...missing.map(missingProcess),
    ...alarms.filter(({ name }) => !isKnown(name, missing, checks)).map(alarmFinding),
    ...checks.flatMap(checkFinding),
    ...jobs.failing.map(failingJob),
  ];
}

/** Whether an alarm is about a process or check that is listed anyway. */
const isKnown = (alarm: string, missing: string[], checks: Check[]): boolean =>
  missing.some((role) => alarm.startsWith(`process:${role}@`)) ||
  checks.some(({ name }) => alarm === `check:${name}`);

const missingProcess = (role: string): HealthFinding => ({
  key: `missing ${role}`,
  todo: "now",
  subject: "Processes",
  found: `The ${role} process isn’t running`,
  advice: `Start it with \`posthouse start\`. If it stops again, see \`posthouse logs --process ${role}\``,
});

function alarmFinding(alarm: Health["alarms"][number]): HealthFinding {
  const { name, severity, found, advice, raisedAt: time } = alarm;
  const [kind = "", about = ""] = name.split(/:(.*)/);
  const isDelivery = ["deferred", "blocked", "queue_age"].includes(kind);
  const search = new URLSearchParams({ kind: "destination", subject: about });
  return {
    key: name,
    todo: kind === "deferred" ? "wait" : severity === "critical" ? "now" : "soon",
    subject: SUBJECTS[kind] ?? "Server",
    found,
    advice,
    at: { label: "Since", time },
    ...(isDelivery && {
      link: { label: "Open queue", href: about ? `${QUEUE}?${search.toString()}` : QUEUE },
    }),
  };
}

/** By the first part of an alarm's name. */
const SUBJECTS: Partial<Record<string, string>> = {
  deferred: "Delivery",
  blocked: "Delivery",
  queue_age: "Delivery",
  process: "Processes",
  part: "Processes",
  crash_loop: "Processes",
  database: "Database",
  disk: "Disk",
  ledger: "Ledger",
  dns: "Domains",
};

const CHECK_TODOS = { failed: "now", warning: "soon", unknown: "check" } as const;

function checkFinding(check: Check): HealthFinding[] {
  const { name, label, state, found, advice, command, checkedAt: time } = check;
  if (state === null || state === "ok") return [];
  return [
    {
      key: `check ${name}`,
      todo: CHECK_TODOS[state],
      subject: label,
      found,
      advice,
      command,
      ...(time && { at: { label: "Checked", time } }),
    },
  ];
}

const failingJob = (job: Health["jobs"]["failing"][number]): HealthFinding => ({
  key: `job ${job.task} ${job.runAt}`,
  todo: "wait",
  subject: "Jobs",
  found: `${job.task} failed ${pluralize(job.attempts, "time")}: ${job.error}`,
  at: { label: "Next attempt", time: job.runAt },
});

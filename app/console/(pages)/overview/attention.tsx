import { ActionIcon, Button } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import Link from "next/link";

import { usePrivileges } from "#app/console/session.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Menu } from "#app/console/ui/menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { type AttentionItem, attentionItem, type AttentionPart } from "./attention-items.ts";
import classes from "./overview.module.css";
import { LinkAction, PartAction, ProblemAction } from "./problem-actions.tsx";
import {
  type OverviewAnswer,
  type OverviewProblem,
  type SnoozeDays,
  useEndSnooze,
  useSnooze,
} from "./queries.ts";

type AttentionPanelProps = {
  overview: OverviewAnswer;
  /** Items that can't be snoozed. */
  alarms: AttentionItem[];
};

/** Lists what needs attention, and what the admin snoozed. */
export function AttentionPanel({ overview, alarms }: AttentionPanelProps) {
  const active = overview.problems.filter((problem) => problem.snoozedUntil === null);
  const snoozed = overview.problems.filter((problem) => problem.snoozedUntil !== null);
  return (
    <section className={classes.attention} aria-labelledby="attention">
      <h2 id="attention" className={classes.attentionTitle}>
        {active.length + alarms.length > 0 ? "Needs attention" : "Nothing new"}
      </h2>
      <ul aria-labelledby="attention">
        {alarms.map((alarm) => (
          <li key={alarm.label} className={classes.point}>
            <div className={classes.pointRow}>
              <AttentionText item={alarm} />
              <span className={classes.pointActions}>
                <LinkAction href="/console/help/bounces">What to do</LinkAction>
              </span>
            </div>
          </li>
        ))}
        {active.map((problem) => (
          <li key={problem.kind} className={classes.point}>
            <AttentionRow problem={problem} overview={overview} />
          </li>
        ))}
      </ul>
      {snoozed.length > 0 && <SnoozedProblems problems={snoozed} overview={overview} />}
    </section>
  );
}

type Row = { problem: OverviewProblem; overview: OverviewAnswer };

function AttentionRow({ problem, overview }: Row) {
  const item = attentionItem(problem, overview);
  const { label, parts } = item;
  return (
    <>
      <div className={classes.pointRow}>
        <AttentionText item={item} />
        <span className={classes.pointActions}>
          <ProblemAction problem={problem} />
          <SnoozeMenu problem={problem} label={label} />
        </span>
      </div>
      {parts.length > 0 && <AttentionParts problem={problem} parts={parts} />}
    </>
  );
}

function AttentionText({ item: { tone, label, text, href, needs } }: { item: AttentionItem }) {
  const { has } = usePrivileges();
  const mayOpen = needs === undefined || has(needs);
  return (
    <>
      <span className={classes.pointStatus}>
        <Status tone={tone} label={label} />
      </span>
      <span className={classes.pointText}>
        {href && mayOpen ? <Link href={href}>{text}</Link> : text}
      </span>
    </>
  );
}

/** All objects that a row counts. */
function AttentionParts({ problem, parts }: { problem: OverviewProblem; parts: AttentionPart[] }) {
  const rest = problem.count - parts.length;
  return (
    <details className={classes.expandable}>
      <summary>Show {problem.domains.length > 0 ? "domains" : "webhooks"}</summary>
      <ul>
        {parts.map(({ id, name, detail, href }) => (
          <li key={id} className={classes.part}>
            <span className={classes.pointText}>
              <Link href={href}>{name}</Link> {detail}
            </span>
            <PartAction problem={problem} id={id} />
          </li>
        ))}
      </ul>
      {rest > 0 && <Link href="/console/domains">{pluralize(rest, "more domain")}</Link>}
    </details>
  );
}

type SnoozedProblemsProps = { problems: OverviewProblem[]; overview: OverviewAnswer };

const SnoozedProblems = ({ problems, overview }: SnoozedProblemsProps) => (
  <details className={classes.expandable}>
    <summary>{pluralize(problems.length, "snoozed problem")}</summary>
    <ul>
      {problems.map((problem) => (
        <li key={problem.kind} className={classes.part}>
          <span className={classes.pointText}>{attentionItem(problem, overview).text}</span>
          <EndSnooze problem={problem} />
        </li>
      ))}
    </ul>
  </details>
);

const SNOOZES: { days: SnoozeDays; label: string }[] = [
  { days: 1, label: "For a day" },
  { days: 7, label: "For a week" },
  { days: 30, label: "For 30 days" },
];

/** @param label names the problem to screen readers */
function SnoozeMenu({ problem, label }: { problem: OverviewProblem; label: string }) {
  const snooze = useSnooze(problem);
  return (
    <Menu
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={`Snooze: ${label}`} title="Snooze">
          <IconClock size={16} aria-hidden="true" />
        </ActionIcon>
      }
    >
      <Menu.Label>Hide from your overview unless it gets worse</Menu.Label>
      {SNOOZES.map(({ days, label }) => (
        <Menu.Item key={days} onClick={() => snooze.start(days)}>
          {label}
        </Menu.Item>
      ))}
    </Menu>
  );
}

function EndSnooze({ problem }: { problem: OverviewProblem }) {
  const end = useEndSnooze(problem);
  return (
    <span className={classes.pointActions}>
      <span className={classes.quiet}>
        Comes back <RelativeTime at={problem.snoozedUntil!} />
      </span>
      <Button
        variant="default"
        size="compact-sm"
        aria-busy={end.isPending}
        onClick={() => end.start()}
      >
        End snooze
      </Button>
    </span>
  );
}

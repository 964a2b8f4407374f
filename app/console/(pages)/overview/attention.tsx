import Link from "next/link";

import { Status } from "#app/console/ui/status.tsx";
import { pluralize } from "#app/console/ui/format.ts";

import { attentionItem, type AttentionPart } from "./attention-items.ts";
import { PartAction, ProblemAction } from "./problem-actions.tsx";
import classes from "./overview.module.css";
import type { OverviewAnswer, OverviewProblem } from "./queries.ts";
import { EndSnooze, SnoozeMenu } from "./snooze.tsx";

/** Lists what needs attention, and what the admin snoozed. */
export function AttentionPanel({ overview }: { overview: OverviewAnswer }) {
  const active = overview.problems.filter((problem) => problem.snoozedUntil === null);
  const snoozed = overview.problems.filter((problem) => problem.snoozedUntil !== null);
  return (
    <section className={classes.attention} aria-labelledby="attention">
      <h2 id="attention" className={classes.attentionTitle}>
        {active.length > 0 ? "Needs attention" : "Nothing new"}
      </h2>
      <ul className={classes.points} aria-labelledby="attention">
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
  const { tone, label, text, href, parts } = attentionItem(problem, overview);
  return (
    <>
      <div className={classes.pointRow}>
        <span className={classes.pointStatus}>
          <Status tone={tone} label={label} />
        </span>
        <span className={classes.pointText}>{href ? <Link href={href}>{text}</Link> : text}</span>
        <span className={classes.pointActions}>
          <ProblemAction problem={problem} />
          <SnoozeMenu problem={problem} label={label} />
        </span>
      </div>
      {parts.length > 0 && <AttentionParts problem={problem} parts={parts} />}
    </>
  );
}

/** All objects that a row counts. */
function AttentionParts({ problem, parts }: { problem: OverviewProblem; parts: AttentionPart[] }) {
  const rest = problem.count - parts.length;
  return (
    <details className={classes.expandable}>
      <summary>Show {problem.domains.length > 0 ? "domains" : "webhooks"}</summary>
      <ul className={classes.partList}>
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

function SnoozedProblems({
  problems,
  overview,
}: {
  problems: OverviewProblem[];
  overview: OverviewAnswer;
}) {
  return (
    <details className={classes.expandable}>
      <summary>{pluralize(problems.length, "snoozed problem")}</summary>
      <ul className={classes.partList}>
        {problems.map((problem) => (
          <li key={problem.kind} className={classes.part}>
            <span className={classes.pointText}>{attentionItem(problem, overview).text}</span>
            <EndSnooze problem={problem} />
          </li>
        ))}
      </ul>
    </details>
  );
}

import Link from "next/link";
import type { ReactNode } from "react";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { useRights } from "#app/console/rights.ts";

import { inTime } from "./attention-points.ts";
import classes from "./overview.module.css";
import type { OverviewAnswer } from "./queries.ts";

type Queue = NonNullable<OverviewAnswer["queue"]>;

/** As many as the server counts of messages in quarantine. */
const COUNTED_MAX = 1_000;

/** The state in numbers, each of which leads to what it counts. */
export function Figures({ overview }: { overview: OverviewAnswer }) {
  return (
    <ul className={classes.figures} aria-label="State in numbers">
      <OfEmails overview={overview} />
      <OfMailboxes overview={overview} />
    </ul>
  );
}

function OfEmails({ overview: { queue, month } }: { overview: OverviewAnswer }) {
  const { has } = useRights();
  return (
    <>
      {queue && (
        <Figure
          word="Waiting to leave"
          value={`${inFull(queue.waiting)}${queue.is_cut ? "+" : ""}`}
          href="/console/emails?status=queued,sent,delivery_delayed"
        >
          {asideOf(queue)}
        </Figure>
      )}
      {month && (
        <Figure
          word="Recipients this month"
          value={inFull(month.used)}
          {...(has("manage_settings") && { href: "/console/settings" })}
        >
          {month.allowed === null ? "any number is allowed" : <Allowance {...month} />}
        </Figure>
      )}
    </>
  );
}

function OfMailboxes({ overview: { quarantined, held, mailboxes } }: { overview: OverviewAnswer }) {
  return (
    <>
      {quarantined !== null && (
        <Figure
          word="In quarantine"
          value={quarantined >= COUNTED_MAX ? `${inFull(quarantined)}+` : inFull(quarantined)}
          href="/console/quarantine"
        >
          {quarantined === 0 ? "nothing to decide" : "for somebody to decide"}
        </Figure>
      )}
      {held !== null && (
        <Figure word="Mailboxes held" value={inFull(held)} href="/console/on-hold">
          {held === 0 ? "nobody’s sending is held" : "their sending waits for you"}
        </Figure>
      )}
      {mailboxes && (
        <Figure
          word="Nearly full mailboxes"
          value={inFull(mailboxes.count)}
          href="/console/mailboxes"
        >
          at 90% or above
        </Figure>
      )}
    </>
  );
}

function asideOf({ oldest_seconds: oldest, is_cut: isCut }: Queue): string {
  if (oldest !== null) return `the oldest for ${inTime(oldest)}`;
  return isCut ? "others are ahead in a long queue" : "the queue is empty";
}

function Figure({
  word,
  value,
  href,
  children,
}: {
  word: string;
  value: string;
  href?: string;
  children: ReactNode;
}) {
  const content = (
    <>
      <span className={classes.word}>{word}</span>
      <span className={classes.number}>{value}</span>
      <span className={classes.aside}>{children}</span>
    </>
  );
  return (
    <li className={classes.figure}>
      {href ? (
        <Link href={href} className={classes.figureLink}>
          {content}
        </Link>
      ) : (
        <div className={classes.figureLink}>{content}</div>
      )}
    </li>
  );
}

function Allowance({ used, allowed }: { used: number; allowed: number | null }) {
  const all = allowed ?? 0;
  const share = all === 0 ? 1 : Math.min(1, used / all);
  return (
    <>
      <span className={classes.bar} aria-hidden="true">
        <span className={classes.barUsed} style={{ width: `${share * 100}%` }} />
      </span>
      of {inFull(all)} ({Math.floor(share * 100)}%)
    </>
  );
}

import Link from "next/link";
import type { ReactNode } from "react";

import { formatCount, formatDuration } from "#app/console/ui/format.ts";
import { usePrivileges } from "#app/console/privileges.ts";

import classes from "./overview.module.css";
import type { OverviewAnswer } from "./queries.ts";

type Queue = NonNullable<OverviewAnswer["queue"]>;

/** The server stops counting quarantined messages here. */
const COUNTED_MAX = 1_000;

/** Key figures, each linking to the items it counts. */
export function OverviewFigures({ overview }: { overview: OverviewAnswer }) {
  return (
    <ul className={classes.figures} aria-label="Key figures">
      <EmailFigures overview={overview} />
      <MailboxFigures overview={overview} />
    </ul>
  );
}

function EmailFigures({ overview: { queue, month } }: { overview: OverviewAnswer }) {
  const { has } = usePrivileges();
  return (
    <>
      {queue && (
        <OverviewFigure
          label="Emails queued"
          value={`${formatCount(queue.emails)}${queue.isCut ? "+" : ""}`}
          href="/console/emails?status=queued,sent,delivery_delayed"
        >
          {queueNote(queue)}
        </OverviewFigure>
      )}
      {month && (
        <OverviewFigure
          label="Recipients this month"
          value={formatCount(month.used)}
          {...(has("manage_settings") && { href: "/console/settings?tab=usage" })}
        >
          {month.allowed === null ? "no limit" : <QuotaBar {...month} />}
        </OverviewFigure>
      )}
    </>
  );
}

function MailboxFigures({
  overview: { quarantined, onHold, nearlyFull },
}: {
  overview: OverviewAnswer;
}) {
  return (
    <>
      {quarantined !== null && (
        <OverviewFigure
          label="In quarantine"
          value={
            quarantined >= COUNTED_MAX ? `${formatCount(quarantined)}+` : formatCount(quarantined)
          }
          href="/console/quarantine"
        >
          {quarantined === 0 ? "nothing to review" : "to review"}
        </OverviewFigure>
      )}
      {onHold !== null && (
        <OverviewFigure
          label="Mailboxes on hold"
          value={formatCount(onHold)}
          href="/console/on-hold"
        >
          {onHold === 0 ? "no outgoing mail on hold" : "outgoing mail to review"}
        </OverviewFigure>
      )}
      {nearlyFull !== null && (
        <OverviewFigure
          label="Nearly full mailboxes"
          value={formatCount(nearlyFull)}
          href="/console/mailboxes?status=nearly_full"
        >
          at 90% or more, but not full
        </OverviewFigure>
      )}
    </>
  );
}

function queueNote({ oldestSeconds: oldest, isCut }: Queue): string {
  if (oldest !== null) return `oldest: ${formatDuration(oldest)}`;
  return isCut ? "long queue" : "queue is empty";
}

function OverviewFigure({
  label,
  value,
  href,
  children,
}: {
  label: string;
  value: string;
  href?: string;
  children: ReactNode;
}) {
  const content = (
    <>
      <span className={classes.word}>{label}</span>
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

function QuotaBar({ used, allowed }: { used: number; allowed: number | null }) {
  const all = allowed ?? 0;
  const share = all === 0 ? 1 : Math.min(1, used / all);
  return (
    <>
      <span className={classes.bar} aria-hidden="true">
        <span className={classes.barUsed} style={{ width: `${share * 100}%` }} />
      </span>
      of {formatCount(all)} ({Math.floor(share * 100)}%)
    </>
  );
}

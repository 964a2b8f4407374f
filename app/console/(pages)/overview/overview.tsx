"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { RouteField } from "#app/console/(pages)/mailboxes/route/mail-route.tsx";
import { useMe, usePrivileges } from "#app/console/session.ts";
import { formatCount, formatDuration } from "#app/console/ui/format.ts";
import { LocalModeNotice } from "#app/console/ui/local-mode-notice.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { AttentionPanel } from "./attention.tsx";
import { Checklist } from "./checklist.tsx";
import classes from "./overview.module.css";
import { type OverviewAnswer, overviewQuery } from "./queries.ts";
import { RecentEmails, useRateAlarms } from "./recent-emails.tsx";

export function ConsoleOverview() {
  const overview = useQuery(overviewQuery);
  const { has } = usePrivileges();
  const me = useMe();
  const alarms = useRateAlarms(has(...READ_EMAILS));
  const hasProblems = (overview.data?.problems.length ?? 0) + alarms.length > 0;
  return (
    <>
      <PageHeader title="Overview" />
      <div className={classes.parts}>
        <LocalModeNotice />
        <QueryView query={overview} noun="the overview" skeleton={<OverviewSkeleton />}>
          {(answer) =>
            isEmpty(answer) ? (
              <NoOverviewAccess />
            ) : (
              <div className={classes.parts}>
                {answer.checklist && <Checklist checklist={answer.checklist} />}
                <OverviewFigures overview={answer} />
                {!hasProblems && !isSettingUp(answer) && <NoIssues />}
              </div>
            )
          }
        </QueryView>
        <div className={hasProblems ? classes.columns : classes.parts}>
          {hasProblems && overview.data && (
            <AttentionPanel overview={overview.data} alarms={alarms} />
          )}
          {has(...READ_EMAILS) && <RecentEmails />}
        </div>
        {me?.wholePrivileges.includes("view_users") && (
          <Panel title="Where does an address go?">
            <RouteField />
          </Panel>
        )}
      </div>
    </>
  );
}

const isEmpty = ({ problems, ...parts }: OverviewAnswer) =>
  problems.length === 0 && Object.values(parts).every((part) => part === null);

/** Whether steps that are still to do are shown. */
const isSettingUp = ({ checklist }: OverviewAnswer) => checklist !== null && !checklist.isHidden;

function NoIssues() {
  return (
    <section className={classes.well} aria-label="Status">
      <Status tone="done" label="No issues" />
      <span className={classes.quiet}>Nothing needs your attention.</span>
    </section>
  );
}

function NoOverviewAccess() {
  return (
    <EmptyState title="You don’t have access yet">
      <Text>
        This page shows what your company sends and receives. Ask an owner of your company for the
        privileges you need.
      </Text>
    </EmptyState>
  );
}

function OverviewSkeleton() {
  return (
    <div className={classes.parts}>
      <Skeleton height={112} radius="lg" />
    </div>
  );
}

type Queue = NonNullable<OverviewAnswer["queue"]>;

/** The server stops counting quarantined messages here. */
const COUNTED_MAX = 1_000;

/** Key figures, each linking to the items it counts. */
function OverviewFigures({ overview }: { overview: OverviewAnswer }) {
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

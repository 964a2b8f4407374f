"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { usePrivileges } from "#app/console/privileges.ts";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { AttentionPanel } from "./attention.tsx";
import { Checklist } from "./checklist.tsx";
import { OverviewFigures } from "./overview-figures.tsx";
import classes from "./overview.module.css";
import { type OverviewAnswer, overviewQuery } from "./queries.ts";
import { RecentEmails } from "./recent-emails.tsx";

export function ConsoleOverview() {
  const overview = useQuery(overviewQuery);
  const { has } = usePrivileges();
  const hasProblems = (overview.data?.problems.length ?? 0) > 0;
  return (
    <>
      <PageHeader title="Overview" />
      <div className={classes.parts}>
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
          {hasProblems && <AttentionPanel overview={overview.data!} />}
          {has("api_controls") && <RecentEmails />}
        </div>
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
      <Text c="dimmed">
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

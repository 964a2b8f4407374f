"use client";

import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useRights } from "#app/console/rights.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { Attention } from "./attention.tsx";
import { Checklist } from "./checklist.tsx";
import { Figures } from "./figures.tsx";
import classes from "./overview.module.css";
import { type OverviewAnswer, overviewQuery } from "./queries.ts";
import { RecentEmails } from "./recent-emails.tsx";

export function Overview() {
  const overview = useQuery(overviewQuery);
  const { has } = useRights();
  return (
    <>
      <PageHeader title="Overview" />
      <div className={classes.parts}>
        <QueryView query={overview} what="the overview" skeleton={<OverviewSkeleton />}>
          {(answer) =>
            isNothing(answer) ? (
              <NothingToSee />
            ) : (
              <div className={classes.parts}>
                {answer.checklist && <Checklist checklist={answer.checklist} />}
                <Attention overview={answer} />
                <Figures overview={answer} />
              </div>
            )
          }
        </QueryView>
        {has("api_controls") && <RecentEmails />}
      </div>
    </>
  );
}

const isNothing = (answer: OverviewAnswer) => Object.values(answer).every((part) => part === null);

function NothingToSee() {
  return (
    <EmptyList title="Nothing is shared with you yet">
      <Text c="dimmed">
        What a company sends and receives is shown here to those who look after it. Ask an owner of
        your company for the rights that you need.
      </Text>
    </EmptyList>
  );
}

function OverviewSkeleton() {
  return (
    <div className={classes.parts}>
      <Skeleton height={62} radius="lg" />
      <Skeleton height={112} radius="lg" />
    </div>
  );
}

"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { pluralize } from "#app/console/ui/format.ts";
import { ServerChecks } from "#app/console/ui/checks/server-checks.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/timeline.tsx";

import { AlarmList } from "./alarm-list.tsx";
import { MailHostList } from "./mail-host-list.tsx";
import { ProcessList } from "./process-list.tsx";
import { type Health, healthQuery } from "./queries.ts";
import { SystemFacts } from "./system-facts.tsx";
import { WarmUpList } from "./warm-up-list.tsx";

export function ServerHealth() {
  const health = useQuery(healthQuery);
  return (
    <>
      <PageHeader
        title="Health"
        description={
          health.data
            ? `Posthouse ${health.data.version}. Updates automatically.`
            : "Updates automatically."
        }
      />
      <QueryView query={health} noun="the health status" skeleton={<HealthSkeleton />}>
        {(health) => (
          <Stack gap="md">
            <AlarmList alarms={health.alarms} />
            <ProcessList processes={health.processes} />
            <MailHostList />
            <WarmUpList warmUps={health.warm_ups} />
            <ServerChecks title="Checks" />
            <SystemFacts health={health} />
            <FailingJobs jobs={health.jobs.failing} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}

function HealthSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={180} />
      <Skeleton height={280} />
      <Skeleton height={280} />
    </Stack>
  );
}

function FailingJobs({ jobs }: { jobs: Health["jobs"]["failing"] }) {
  if (jobs.length === 0) return null;
  return (
    <Panel title="Failing jobs">
      <Timeline>
        {jobs.map((job) => (
          <TimelineEntry
            key={`${job.task} ${job.run_at}`}
            tone="waiting"
            title={`${job.task}, ${pluralize(job.attempts, "attempt")}`}
            quote={job.error}
            aside={
              <>
                Next attempt <RelativeTime at={job.run_at} />
              </>
            }
          />
        ))}
      </Timeline>
    </Panel>
  );
}

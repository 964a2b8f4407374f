"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { ServerChecks } from "#app/console/ui/checks/server-checks.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { FailingJobs } from "./failing-jobs.tsx";
import { SystemFacts } from "./system-facts.tsx";
import { ProcessList } from "./process-list.tsx";
import { healthQuery } from "./queries.ts";

export function Health() {
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
            <ProcessList processes={health.processes} />
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

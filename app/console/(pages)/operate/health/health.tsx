"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { FindingList } from "./finding-list.tsx";
import { MailHostList } from "./mail-host-list.tsx";
import { ProcessList } from "./process-list.tsx";
import { healthQuery } from "./queries.ts";
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
            <FindingList health={health} />
            <ProcessList processes={health.processes} />
            <MailHostList />
            <WarmUpList warmUps={health.warmUps} />
            <SystemFacts health={health} />
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

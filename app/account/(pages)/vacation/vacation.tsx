"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { rulesQuery } from "#app/account/rule-queries.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { VacationForm } from "./vacation-form.tsx";

export function Vacation() {
  const rules = useQuery(rulesQuery);
  return (
    <>
      <PageHeader
        title="Automatic replies"
        description="Reply automatically to people who write to you."
      />
      <Panel>
        <QueryView query={rules} noun="your automatic reply" skeleton={<Skeleton height={380} />}>
          {({ vacation }) => <VacationForm vacation={vacation} />}
        </QueryView>
      </Panel>
    </>
  );
}

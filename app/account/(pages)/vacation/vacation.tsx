"use client";

import { Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { rulesQuery, type VacationFields } from "#app/account/rule-queries.ts";
import { vacationState } from "#app/account/vacation-state.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

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
          {({ vacation }) => (
            <>
              <VacationStatus vacation={vacation} />
              <VacationForm vacation={vacation} />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** Status of the saved reply: the switch alone doesn't say whether replies are sent today. */
function VacationStatus({ vacation }: { vacation: VacationFields | null }) {
  const { text, ...status } = vacationState(vacation, new Date());
  return (
    <Group gap="sm" mb="md">
      <Status {...status} />
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Group>
  );
}

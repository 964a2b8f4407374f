"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/account/queries.ts";
import { rulesQuery } from "#app/account/rule-queries.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { ForwardingForm } from "./forwarding-form.tsx";
import { SuspendedForwards } from "./suspended-forwards.tsx";

export function Forwarding() {
  const rules = useQuery(rulesQuery);
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader title="Forwarding" description="Forward incoming mail to other addresses." />
      <Panel>
        <QueryView query={rules} noun="your forwarding" skeleton={<Skeleton height={200} />}>
          {(rules) => (
            <>
              <SuspendedForwards suspended={rules.suspended_forwards} />
              <ForwardingForm rules={rules} mayLeave={me?.allows.forwarding_outside ?? true} />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

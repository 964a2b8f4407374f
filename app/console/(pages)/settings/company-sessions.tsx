"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SessionRows } from "#app/console/(pages)/profile/session-rows.tsx";
import { usePrivileges } from "#app/console/privileges.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { companySessionsQuery, useEndCompanySession } from "./queries.ts";

const REFRESH_MS = 15_000;

export function CompanySessions() {
  const sessions = useQuery({ ...companySessionsQuery, refetchInterval: REFRESH_MS });
  const end = useEndCompanySession();
  const { isOwner } = usePrivileges();
  return (
    <Panel title="Active sessions">
      <QueryView query={sessions} noun="the sessions" skeleton={<Skeleton height={120} />}>
        {({ data }) => (
          <SessionRows
            sessions={data}
            titleBy="admin"
            end={end}
            mayEnd={(session) => isOwner || !session.is_owner}
          />
        )}
      </QueryView>
    </Panel>
  );
}

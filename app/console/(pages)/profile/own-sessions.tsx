"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { ownSessionsQuery, useEndOwnOtherSessions, useEndOwnSession } from "./queries.ts";
import { SessionRows } from "./session-rows.tsx";

const REFRESH_MS = 15_000;

export function OwnSessions() {
  const sessions = useQuery({ ...ownSessionsQuery, refetchInterval: REFRESH_MS });
  const end = useEndOwnSession();
  const endOthers = useEndOwnOtherSessions();
  const others = sessions.data?.data.filter((session) => !session.isThisOne).length ?? 0;
  return (
    <Panel
      title="Active sessions"
      aside={
        others > 0 && (
          <ConfirmedButton
            label="End other sessions"
            title="End other sessions?"
            onConfirm={async () => {
              const { ended } = await endOthers.mutateAsync();
              toast(`${pluralize(ended, "session")} ended`);
            }}
          >
            {pluralize(others, "other session")} will have to sign in again. This session stays
            signed in.
          </ConfirmedButton>
        )
      }
    >
      <QueryView query={sessions} noun="your sessions" skeleton={<Skeleton height={80} />}>
        {({ data }) => <SessionRows sessions={data} titleBy="device" end={end} />}
      </QueryView>
    </Panel>
  );
}

"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import { ownSessionsQuery, useEndOwnOtherSessions, useEndOwnSession } from "./queries.ts";
import { SessionRows } from "./session-rows.tsx";

const REFRESH_MS = 15_000;

export function OwnSessions() {
  const sessions = useQuery({ ...ownSessionsQuery, refetchInterval: REFRESH_MS });
  const end = useEndOwnSession();
  const endOthers = useEndOwnOtherSessions();
  const [isConfirming, setIsConfirming] = useState(false);
  const others = sessions.data?.data.filter((session) => !session.is_this_one).length ?? 0;
  return (
    <>
      <Panel
        title="Active sessions"
        aside={
          others > 0 && (
            <Button variant="default" onClick={() => setIsConfirming(true)}>
              End other sessions
            </Button>
          )
        }
      >
        <QueryView query={sessions} noun="your sessions" skeleton={<Skeleton height={80} />}>
          {({ data }) => <SessionRows sessions={data} titleBy="device" end={end} />}
        </QueryView>
      </Panel>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="End other sessions?"
        confirmLabel="End other sessions"
        onConfirm={async () => {
          const { ended } = await endOthers.mutateAsync();
          toast(`${pluralize(ended, "session")} ended`);
        }}
      >
        {pluralize(others, "other session")} will have to sign in again. This session stays signed
        in.
      </ConfirmDialog>
    </>
  );
}

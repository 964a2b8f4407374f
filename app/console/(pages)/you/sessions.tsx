"use client";

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { ownSessionsQuery, useEndOwnOtherSessions, useEndOwnSession } from "./session-queries.ts";
import { SessionRows } from "./session-rows.tsx";

const REFRESH_MS = 15_000;

/** Where one is signed in, and an end to it. */
export function Sessions() {
  const sessions = useQuery({ ...ownSessionsQuery, refetchInterval: REFRESH_MS });
  const end = useEndOwnSession();
  const endOthers = useEndOwnOtherSessions();
  const [isAsking, setIsAsking] = useState(false);
  const others = sessions.data?.data.filter((session) => !session.is_this_one).length ?? 0;
  return (
    <>
      <Panel
        title="Where you are signed in"
        aside={
          others > 0 && (
            <Button variant="default" onClick={() => setIsAsking(true)}>
              End all others
            </Button>
          )
        }
      >
        <QueryView query={sessions} what="your sessions" skeleton={<Skeleton height={80} />}>
          {({ data }) => <SessionRows sessions={data} nameBy="device" end={end} />}
        </QueryView>
      </Panel>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title="End all other sessions?"
        verb="End all others"
        isPending={endOthers.isPending}
        error={endOthers.error}
        onConfirm={() =>
          endOthers.mutate(undefined, {
            onSuccess: ({ ended }) => {
              setIsAsking(false);
              toast(ended === 1 ? "1 session was ended." : `${ended} sessions were ended.`);
            },
          })
        }
      >
        {others === 1 ? "1 other session" : `${others} other sessions`} will have to sign in again.
        This one goes on.
      </ConfirmDialog>
    </>
  );
}

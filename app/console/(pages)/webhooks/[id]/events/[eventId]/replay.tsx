"use client";

import { Button } from "@mantine/core";

import { type EventDetail, useReplayEvent } from "#app/console/(pages)/webhooks/event-queries.ts";
import { FormError } from "#app/console/ui/form-error.tsx";

/** Delivers an event immediately: again, or for the first time if it is still pending. */
export function ReplayEventButton({
  path,
  event,
}: {
  path: { id: string; event_id: string };
  event: EventDetail;
}) {
  const replay = useReplayEvent(path.id);
  return (
    <>
      <FormError error={replay.error} />
      <Button
        variant="default"
        loading={replay.isPending}
        onClick={() => replay.mutate(path.event_id)}
      >
        {event.attempts === 0 ? "Deliver now" : "Replay event"}
      </Button>
    </>
  );
}

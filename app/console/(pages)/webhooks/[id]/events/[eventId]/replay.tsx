"use client";

import { Button } from "@mantine/core";

import { type EventDetail, useReplayEvent } from "#app/console/(pages)/webhooks/event-queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";

/** Delivers an event once more, at once; one that was never tried is not kept waiting. */
export function Replay({
  path,
  event,
}: {
  path: { id: string; event_id: string };
  event: EventDetail;
}) {
  const replay = useReplayEvent(path.id);
  return (
    <>
      <FormProblem error={replay.error} />
      <Button
        variant="default"
        loading={replay.isPending}
        onClick={() => replay.mutate(path.event_id)}
      >
        {event.attempts === 0 ? "Deliver now" : "Replay"}
      </Button>
    </>
  );
}

"use client";

import { Button } from "@mantine/core";

import {
  EVENTS_PER_PAGE,
  type EventRow,
  useReplayEvent,
} from "#app/console/(pages)/webhooks/event-queries.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./event-list.module.css";

const columns = {
  type: { area: "type", head: "Type", kind: "name" },
  subject: { area: "about", head: "Subject", kind: "text" },
  status: { area: "status", head: "Status", kind: "status" },
  attempts: { area: "attempts", head: "Attempts", kind: "text", isQuiet: true, isExtra: true },
  created: { area: "created", head: "Created", kind: "moment" },
  replay: { area: "replay", head: "Replay", kind: "actions" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function EventList({ webhook, events }: { webhook: WebhookDetail; events: EventRow[] }) {
  return (
    <ListTable label="Events, newest first" {...layout}>
      {events.map((event) => (
        <EventListRow key={event.id} webhook={webhook} event={event} />
      ))}
    </ListTable>
  );
}

function EventListRow({ webhook, event }: { webhook: WebhookDetail; event: EventRow }) {
  const isReplayable = event.status === "failed" && webhook.status === "enabled";
  return (
    <ListRow>
      <Cell of={columns.type}>
        <RowLink href={`/console/webhooks/${webhook.id}/events/${event.id}`}>{event.type}</RowLink>
        {event.is_test && <span className={classes.test}>Test</span>}
      </Cell>
      <Cell of={columns.subject}>{event.about}</Cell>
      <Cell of={columns.status}>
        <Status {...EVENT_STATUSES[event.status]} />
      </Cell>
      <Cell of={columns.attempts}>{attemptCount(event.attempts)}</Cell>
      <Cell of={columns.created}>
        <RelativeMoment at={event.created_at} />
      </Cell>
      <Cell of={columns.replay}>
        {isReplayable && <ReplayRowButton webhookId={webhook.id} event={event} />}
      </Cell>
    </ListRow>
  );
}

function ReplayRowButton({ webhookId, event }: { webhookId: string; event: EventRow }) {
  const replay = useReplayEvent(webhookId);
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Replay ${event.id}`}
      title={replay.isError ? replay.error.message : "Deliver this event again"}
      loading={replay.isPending}
      onClick={() => replay.mutate(event.id)}
    >
      {replay.isError ? "Failed" : "Replay"}
    </Button>
  );
}

const attemptCount = (attempts: number) =>
  attempts === 1 ? "1 attempt" : `${attempts || "No"} attempts`;

export function EventListSkeleton() {
  return <ListSkeleton rows={EVENTS_PER_PAGE} {...layout} />;
}

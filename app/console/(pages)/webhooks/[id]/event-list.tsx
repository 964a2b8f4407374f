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
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { TestBadge } from "#app/console/ui/test-badge.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./event-list.module.css";

const columns = {
  type: { area: "type", header: "Type", kind: "name" },
  subject: { area: "about", header: "Subject", kind: "text" },
  status: { area: "status", header: "Status", kind: "status" },
  attempts: { area: "attempts", header: "Attempts", kind: "text", isMuted: true, isOptional: true },
  created: { area: "created", header: "Created", kind: "moment" },
  replay: { area: "replay", header: "Replay", kind: "actions" },
} satisfies Record<string, ListColumn>;

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
      <ListCell column={columns.type}>
        <ListRowLink href={`/console/webhooks/${webhook.id}/events/${event.id}`}>
          {event.type}
        </ListRowLink>
        {event.is_test && <TestBadge />}
      </ListCell>
      <ListCell column={columns.subject}>{event.about}</ListCell>
      <ListCell column={columns.status}>
        <Status {...EVENT_STATUSES[event.status]} />
      </ListCell>
      <ListCell column={columns.attempts}>{attemptCount(event.attempts)}</ListCell>
      <ListCell column={columns.created}>
        <RelativeTime at={event.created_at} />
      </ListCell>
      <ListCell column={columns.replay}>
        {isReplayable && <ReplayRowButton webhookId={webhook.id} event={event} />}
      </ListCell>
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
      title="Deliver this event again"
      aria-busy={replay.isPending}
      onClick={() => replay.start(event.id)}
    >
      Replay
    </Button>
  );
}

const attemptCount = (attempts: number) =>
  attempts === 1 ? "1 attempt" : `${attempts || "No"} attempts`;

export function EventListSkeleton() {
  return <ListSkeleton rows={EVENTS_PER_PAGE} {...layout} />;
}

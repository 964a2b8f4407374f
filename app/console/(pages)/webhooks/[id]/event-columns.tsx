import { Button } from "@mantine/core";

import {
  EVENTS_PER_PAGE,
  type EventRow,
  useReplayEvent,
} from "#app/console/(pages)/webhooks/event-queries.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Status, TestBadge } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

type Webhook = Pick<WebhookDetail, "id" | "status">;

export const eventList = ({ id: webhookId, status }: Webhook): ListLayout<EventRow> => ({
  noun: "events",
  label: "Events, newest first",
  columns: [
    {
      area: "type",
      header: "Type",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: ({ id, type, isTest }) => (
        <>
          <ListRowLink href={`/console/webhooks/${webhookId}/events/${id}`}>{type}</ListRowLink>
          {isTest && <TestBadge />}
        </>
      ),
    },
    {
      area: "about",
      header: "Subject",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: ({ about }) => about,
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "104px",
      cell: ({ status }) => <Status {...EVENT_STATUSES[status]} />,
    },
    {
      area: "attempts",
      header: "Attempts",
      kind: "text",
      width: "96px",
      isMuted: true,
      isOptional: true,
      cell: ({ attempts }) => (attempts === 1 ? "1 attempt" : `${attempts || "No"} attempts`),
    },
    {
      area: "created",
      header: "Created",
      kind: "moment",
      width: "120px",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    {
      area: "replay",
      header: "Replay",
      kind: "actions",
      width: "76px",
      cell: (event) =>
        event.status === "failed" &&
        status === "enabled" && <ReplayRowButton webhookId={webhookId} event={event} />,
    },
  ],
  phone: `"type status" auto "about created" auto "replay replay" auto / minmax(0, 1fr) auto`,
});

export function EventListSkeleton() {
  return (
    <DataTableSkeleton layout={eventList({ id: "", status: "disabled" })} rows={EVENTS_PER_PAGE} />
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

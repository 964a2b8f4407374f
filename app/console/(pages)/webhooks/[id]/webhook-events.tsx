import { Box, Button, Text } from "@mantine/core";

import {
  EVENTS_REFRESH_MS,
  useReplayEvent,
  type WebhookDetail,
} from "#app/console/(pages)/webhooks/queries.ts";
import { EVENT_GROUPS, EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.tsx";
import { ChoiceChips, FilterSelect } from "#app/console/ui/filter-chips.tsx";
import { ListSection, type RowOf } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { TestBadge } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { oneOf } from "#app/console/ui/url-filters.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";

import { ReplayFailedEvents } from "./replay-failed.tsx";

type EventRow = RowOf<"webhookEvents.listEvents">;

const FILTERS = {
  status: oneOf(EVENT_STATUSES),
  type: (text: string) => WEBHOOK_EVENT_TYPES.find((type) => type === text),
};

const TYPE_OPTIONS = EVENT_GROUPS.map(({ name, types }) => ({ group: name, items: types }));

export function WebhookEvents({ webhook: { id: webhookId, status } }: { webhook: WebhookDetail }) {
  const isEnabled = status === "enabled";
  return (
    <ListSection
      list="webhookEvents.listEvents"
      input={{ params: { id: webhookId } }}
      noun="events"
      label="Events, newest first"
      skeletonRows={20}
      settings={{ refetchInterval: EVENTS_REFRESH_MS }}
      filters={FILTERS}
      controls={({ status, type }) => (
        <>
          <ChoiceChips name="status" label="Status" value={status} options={EVENT_STATUSES} />
          <FilterSelect name="type" label="Type" value={type} all="All types" data={TYPE_OPTIONS} />
          {isEnabled && (
            <Box ml="auto">
              <ReplayFailedEvents webhookId={webhookId} />
            </Box>
          )}
        </>
      )}
      noResults="Events are kept for 30 days."
      empty={{
        title: "No events yet",
        children: (
          <Text>
            {isEnabled
              ? "New events appear here automatically. Send a test event to check that your endpoint works."
              : "Disabled webhooks don’t record events. Enable the webhook to see new events here."}
          </Text>
        ),
      }}
      columns={{
        type: {
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
        about: {
          header: "Subject",
          width: "minmax(0, 5fr)",
          cell: ({ about }) => about,
        },
        status: statusColumn("104px", ({ status }: EventRow) => EVENT_STATUSES[status]),
        attempts: {
          header: "Attempts",
          width: "96px",
          isMuted: true,
          isOptional: true,
          cell: ({ attempts }) => (attempts === 1 ? "1 attempt" : `${attempts || "No"} attempts`),
        },
        created: {
          header: "Created",
          kind: "moment",
          width: "120px",
          cell: ({ createdAt: at }) => <RelativeTime at={at} />,
        },
        replay: {
          header: "Replay",
          kind: "actions",
          width: "76px",
          cell: (event) =>
            event.status === "failed" &&
            isEnabled && <ReplayRowButton webhookId={webhookId} eventId={event.id} />,
        },
      }}
      phone={`"type status" auto "about created" auto "replay replay" auto / minmax(0, 1fr) auto`}
    />
  );
}

function ReplayRowButton({ webhookId, eventId }: { webhookId: string; eventId: string }) {
  const replay = useReplayEvent();
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Replay ${eventId}`}
      title="Deliver this event again"
      aria-busy={replay.isPending}
      onClick={() => replay.start({ params: { id: webhookId, eventId } })}
    >
      Replay
    </Button>
  );
}

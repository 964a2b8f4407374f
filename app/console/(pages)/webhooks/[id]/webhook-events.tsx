"use client";

import { Button, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import {
  type EventFilters,
  type EventRow,
  EVENTS_PER_PAGE,
  eventsQuery,
  type EventStatus,
  useReplayEvent,
  type WebhookDetail,
} from "#app/console/(pages)/webhooks/queries.ts";
import { EVENT_GROUPS } from "#app/console/(pages)/webhooks/webhook-form.tsx";
import { EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.tsx";
import classes from "#app/console/(pages)/webhooks/webhooks.module.css";
import { DataTable, DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status, TestBadge } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";
import { updateSearch } from "#app/console/ui/url-search.ts";
import { WEBHOOK_EVENT_TYPES } from "#server/universal/event-types.ts";

import { ReplayFailedEvents } from "./replay-failed.tsx";

export function WebhookEvents({ webhook }: { webhook: WebhookDetail }) {
  const place = usePageCursor();
  const filters = useUrlFilters(FILTERS);
  const events = useQuery(eventsQuery(webhook.id, place, filters));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <EventFilterBar
        filters={filters}
        action={webhook.status === "enabled" && <ReplayFailedEvents webhookId={webhook.id} />}
      />
      <QueryView query={events} noun="the events" skeleton={<EventListSkeleton />}>
        {(page) =>
          page.data.length === 0 && !place.after && !place.before ? (
            <NoWebhookEvents isFiltered={isFiltered} isEnabled={webhook.status === "enabled"} />
          ) : (
            <>
              <DataTable layout={eventList(webhook)} rows={page.data} />
              <Pagination cursor={place} page={page} isPlaceholder={events.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

const FILTERS = {
  status: oneOf(EVENT_STATUSES),
  type: (text: string) => WEBHOOK_EVENT_TYPES.find((type) => type === text),
};

function NoWebhookEvents({ isFiltered, isEnabled }: { isFiltered: boolean; isEnabled: boolean }) {
  if (isFiltered) return <NoResults noun="events" hint="Events are kept for 30 days." />;
  return (
    <EmptyState title="No events yet">
      <Text c="dimmed">
        {isEnabled
          ? "New events appear here automatically. Send a test event to check that your endpoint works."
          : "Disabled webhooks don’t record events. Enable the webhook to see new events here."}
      </Text>
    </EmptyState>
  );
}

const TYPE_OPTIONS = [
  { value: "", label: "All types" },
  ...EVENT_GROUPS.map(({ name, types }) => ({ group: name, items: types })),
];

/** The filters are kept in the URL. */
export function EventFilterBar({ filters, action }: { filters: EventFilters; action: ReactNode }) {
  const { status, type } = filters;
  return (
    <div className={classes.filters}>
      <FilterChips label="Status">
        <FilterChip label="All" href={filterUrl({ type })} isActive={!status} />
        {(Object.keys(EVENT_STATUSES) as EventStatus[]).map((option) => (
          <FilterChip
            key={option}
            label={EVENT_STATUSES[option].label}
            href={filterUrl({ status: option, type })}
            isActive={option === status}
          />
        ))}
      </FilterChips>
      <NativeSelect
        aria-label="Type"
        size="sm"
        className={classes.typeFilter}
        data={TYPE_OPTIONS}
        value={type ?? ""}
        onChange={(event) => updateSearch({ type: event.currentTarget.value })}
      />
      <div className={classes.filterAction}>{action}</div>
    </div>
  );
}

/** Changing a filter returns to the first page. */
function filterUrl(filters: { status?: string | undefined; type?: string | undefined }): string {
  const params = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(params).toString()}`;
}

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

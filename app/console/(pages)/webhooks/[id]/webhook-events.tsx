"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { eventsQuery } from "#app/console/(pages)/webhooks/event-queries.ts";
import { EVENT_TYPES } from "#app/console/(pages)/webhooks/event-types.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { DataTable } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

import { eventList, EventListSkeleton } from "./event-columns.tsx";
import { EventFilterBar } from "./event-filters.tsx";
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
  type: (text: string) => EVENT_TYPES.find((type) => type === text),
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

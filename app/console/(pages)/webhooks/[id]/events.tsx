"use client";

import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import {
  type EventFilters,
  eventsQuery,
  type EventStatus,
} from "#app/console/(pages)/webhooks/event-queries.ts";
import { EVENT_TYPES } from "#app/console/(pages)/webhooks/event-types.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventStates } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { EventList, EventListSkeleton } from "./event-list.tsx";
import { Filters } from "./filters.tsx";
import { ReplayFailed } from "./replay-failed.tsx";

/** What was recorded for a webhook, newest first, and how its delivery stands. */
export function Events({ webhook }: { webhook: WebhookDetail }) {
  const place = usePlace();
  const filters = useFilters();
  const events = useQuery(eventsQuery(webhook.id, place, filters));
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <Filters
        filters={filters}
        action={webhook.status === "enabled" && <ReplayFailed webhookId={webhook.id} />}
      />
      <QueryView query={events} what="the events" skeleton={<EventListSkeleton />}>
        {(page) =>
          page.data.length === 0 && !place.after && !place.before ? (
            <NoEvents isFiltered={isFiltered} isEnabled={webhook.status === "enabled"} />
          ) : (
            <>
              <EventList webhook={webhook} events={page.data} />
              <PagesOfList place={place} page={page} isFormer={events.isPlaceholderData} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

/** What the URL asks for, as far as it exists. */
function useFilters(): EventFilters {
  const search = useSearchParams();
  const statuses = Object.keys(eventStates) as EventStatus[];
  const status = statuses.find((status) => status === search.get("status"));
  const type = EVENT_TYPES.find((type) => type === search.get("type"));
  return { ...(status && { status }), ...(type && { type }) };
}

function NoEvents({ isFiltered, isEnabled }: { isFiltered: boolean; isEnabled: boolean }) {
  if (isFiltered)
    return (
      <EmptyList title="No such events">
        <Text c="dimmed">None of the last 30 days fits these filters.</Text>
      </EmptyList>
    );
  return (
    <EmptyList title="No events yet">
      <Text c="dimmed">
        {isEnabled
          ? "What happens from now on shows up here by itself. A test event shows whether the endpoint answers as it should."
          : "Nothing is recorded for a disabled webhook. What happens after you enable it shows up here by itself."}
      </Text>
    </EmptyList>
  );
}

"use client";

import { Button, Skeleton, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";

import { emailStatuses } from "#app/console/(pages)/emails/email-status.tsx";
import { emailEventsQuery, type EmailEvent } from "#app/console/(pages)/emails/queries.ts";
import { ExactTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Timeline as EntryList, TimelineEntry } from "#app/console/ui/timeline.tsx";

import { describeEvent } from "./describe-event.ts";

export function EmailTimeline({ emailId }: { emailId: string }) {
  const events = useInfiniteQuery(emailEventsQuery(emailId));
  return (
    <Panel title="Timeline">
      <QueryView query={events} noun="the timeline" skeleton={<TimelineSkeleton />}>
        {({ pages }) => (
          <>
            <EntryList>
              {pages
                .flatMap((page) => page.data)
                .map((event) => (
                  <EmailTimelineEntry key={event.id} event={event} />
                ))}
            </EntryList>
            {events.hasNextPage && (
              <Button
                variant="default"
                loading={events.isFetchingNextPage}
                onClick={() => void events.fetchNextPage()}
              >
                Load more events
              </Button>
            )}
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function EmailTimelineEntry({ event }: { event: EmailEvent }) {
  const { title, explanation, quote } = describeEvent(event);
  return (
    <TimelineEntry
      tone={emailStatuses[event.type].tone}
      title={title}
      quote={quote}
      aside={<ExactTime at={event.created_at} />}
    >
      {explanation}
    </TimelineEntry>
  );
}

function TimelineSkeleton() {
  return (
    <Stack gap="lg">
      {[0, 1].map((entry) => (
        <Stack key={entry} gap="xs">
          <Skeleton height={12} width="60%" />
          <Skeleton height={12} width="40%" />
        </Stack>
      ))}
    </Stack>
  );
}

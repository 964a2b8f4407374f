"use client";

import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { type Attempt, attemptsQuery } from "#app/console/(pages)/webhooks/event-queries.ts";
import { formatLatency, typographic } from "#app/console/ui/format.ts";
import { ExactTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";

export function EventAttempts({ path }: { path: { id: string; eventId: string } }) {
  const attempts = useQuery(attemptsQuery(path));
  return (
    <Panel title="Attempts">
      <QueryView query={attempts} noun="the attempts" skeleton={<AttemptsSkeleton />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No attempts yet.</Text>
          ) : (
            <Timeline>
              {data.map((attempt) => (
                <AttemptEntry key={attempt.id} attempt={attempt} />
              ))}
            </Timeline>
          )
        }
      </QueryView>
    </Panel>
  );
}

function AttemptEntry({ attempt }: { attempt: Attempt }) {
  const { number, httpStatus: status, error, explanation, durationMs: duration } = attempt;
  return (
    <TimelineEntry
      tone={error === null ? "done" : "failed"}
      title={`Attempt ${number}: ${error ?? `HTTP ${status ?? ""}`}`}
      quote={attempt.response || null}
      aside={
        <>
          <ExactTime at={attempt.sentAt} />, {formatLatency(duration)}
        </>
      }
    >
      {typographic(explanation ?? "Delivered.")}
    </TimelineEntry>
  );
}

function AttemptsSkeleton() {
  return (
    <Stack gap="xs">
      <Skeleton height={12} width="60%" />
      <Skeleton height={12} width="40%" />
    </Stack>
  );
}

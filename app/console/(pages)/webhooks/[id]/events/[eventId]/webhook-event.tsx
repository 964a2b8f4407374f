"use client";

import { Anchor, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { type EventDetail, eventQuery } from "#app/console/(pages)/webhooks/event-queries.ts";
import { eventStates, partsOf } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { CodeBlock } from "#app/console/ui/code-block.tsx";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { type About, aboutOf } from "./about.ts";
import { Attempts } from "./attempts.tsx";
import { NextAttempt } from "./next-attempt.tsx";
import { Replay } from "./replay.tsx";

export function WebhookEvent({ path }: { path: { id: string; event_id: string } }) {
  const event = useQuery(eventQuery(path));
  const host = event.data ? partsOf(event.data.webhook.endpoint).host : "Webhook";
  return (
    <>
      <Breadcrumbs
        trail={[
          { label: "Webhooks", href: "/console/webhooks" },
          { label: host, href: `/console/webhooks/${path.id}` },
        ]}
      />
      <QueryView query={event} what="this event" skeleton={<EventSkeleton />} titleOrder={1}>
        {(event) => (
          <>
            <PageHeader
              title={event.type}
              sentence={<Status {...eventStates[event.status]} />}
              action={event.webhook.status === "enabled" && <Replay path={path} event={event} />}
            />
            <SideBySide
              side={
                <>
                  <EventFacts event={event} />
                  <Attempts path={path} />
                </>
              }
            >
              <Panel title="Payload">
                <CodeBlock code={JSON.stringify(event.payload, null, 2)} what="JSON" />
              </Panel>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

function EventFacts({ event }: { event: EventDetail }) {
  const about = aboutOf(event);
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Next attempt">
          <NextAttempt event={event} />
        </Fact>
        {about && (
          <Fact name={about.kind}>
            <AboutLink about={about} />
          </Fact>
        )}
        <Fact name="Happened">
          <ExactMoment at={event.created_at} />
        </Fact>
        {event.is_test && <Fact name="Origin">A test: nothing of the kind happened</Fact>}
        <Fact name="Endpoint">
          <Mono value={event.webhook.endpoint} what="endpoint" />
        </Fact>
        <Fact name="Id">
          <Mono value={event.id} what="id" />
        </Fact>
      </Facts>
    </Panel>
  );
}

function AboutLink({ about: { name, href } }: { about: About }) {
  if (href === null) return name;
  return (
    <Anchor component={Link} href={href}>
      {name}
    </Anchor>
  );
}

const PAYLOAD_HEIGHT = 320;

function EventSkeleton() {
  return (
    <>
      <Skeleton height={20} width={180} mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <SideBySide
        side={
          <Panel>
            <Stack gap={20}>
              {[40, 60, 55, 70].map((width) => (
                <Skeleton key={width} height={12} width={`${width}%`} />
              ))}
            </Stack>
          </Panel>
        }
      >
        <Panel>
          <Skeleton height={PAYLOAD_HEIGHT} />
        </Panel>
      </SideBySide>
    </>
  );
}

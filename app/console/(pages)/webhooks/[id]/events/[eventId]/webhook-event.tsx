"use client";

import { Anchor, Button, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import {
  type EventDetail,
  eventQuery,
  useReplayEvent,
} from "#app/console/(pages)/webhooks/event-queries.ts";
import { EVENT_STATUSES, endpointParts } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { type EventSubject, eventSubject } from "./event-subject.ts";
import { EventAttempts } from "./event-attempts.tsx";

export function WebhookEvent({ path }: { path: { id: string; eventId: string } }) {
  const event = useQuery(eventQuery(path));
  const host = event.data ? endpointParts(event.data.webhook.endpoint).host : "Webhook";
  return (
    <>
      <Breadcrumbs
        trail={[
          { label: "Webhooks", href: "/console/webhooks" },
          { label: host, href: `/console/webhooks/${path.id}` },
        ]}
      />
      <QueryView query={event} noun="this event" skeleton={<WebhookEventSkeleton />} titleOrder={1}>
        {(event) => (
          <>
            <PageHeader
              title={event.type}
              description={<Status {...EVENT_STATUSES[event.status]} />}
              action={
                event.webhook.status === "enabled" && (
                  <ReplayEventButton path={path} event={event} />
                )
              }
            />
            <SideBySide
              side={
                <>
                  <EventFacts event={event} />
                  <EventAttempts path={path} />
                </>
              }
            >
              <Panel title="Payload">
                <CodeBlock code={JSON.stringify(event.payload, null, 2)} label="JSON" />
              </Panel>
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

/** Delivers an event immediately: again, or for the first time if it is still pending. */
function ReplayEventButton({
  path,
  event,
}: {
  path: { id: string; eventId: string };
  event: EventDetail;
}) {
  const replay = useReplayEvent(path.id);
  return (
    <Button
      variant="default"
      aria-busy={replay.isPending}
      onClick={() => replay.start(path.eventId)}
    >
      {event.attempts === 0 ? "Deliver now" : "Replay event"}
    </Button>
  );
}

function EventFacts({ event }: { event: EventDetail }) {
  const subject = eventSubject(event);
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem label="Next attempt">
          <NextWebhookAttempt event={event} />
        </DescriptionItem>
        {subject && (
          <DescriptionItem label={subject.kind}>
            <SubjectLink subject={subject} />
          </DescriptionItem>
        )}
        <DescriptionItem label="Created">
          <ExactTime at={event.createdAt} />
        </DescriptionItem>
        {event.isTest && (
          <DescriptionItem label="Test">This is a test event with example data</DescriptionItem>
        )}
        <DescriptionItem label="Endpoint">
          <CopyableValue value={event.webhook.endpoint} label="endpoint" />
        </DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={event.id} label="ID" />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

/** When the next attempt is due, or why there is none. */
function NextWebhookAttempt({ event }: { event: EventDetail }) {
  const { status, nextAttemptAt: next, webhook } = event;
  if (next && new Date(next) <= new Date()) return "Now";
  if (next)
    return (
      <>
        <RelativeTime at={next} />, on <ExactTime at={next} />
      </>
    );
  if (status === "success") return "None: delivered";
  if (status === "failed") return "None: all eight attempts failed. You can replay the event";
  return webhook.status === "disabled" ? "When you enable the webhook" : "None";
}

function SubjectLink({ subject: { name, href } }: { subject: EventSubject }) {
  if (href === null) return name;
  return (
    <Anchor component={Link} href={href}>
      {name}
    </Anchor>
  );
}

const PAYLOAD_HEIGHT = 320;

function WebhookEventSkeleton() {
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

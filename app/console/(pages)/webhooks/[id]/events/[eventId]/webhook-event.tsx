"use client";

import { Anchor, Button, Skeleton, Text } from "@mantine/core";
import Link from "next/link";
import { useParams } from "next/navigation";

import { EVENTS_REFRESH_MS, useReplayEvent } from "#app/console/(pages)/webhooks/queries.ts";
import { endpointParts, EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.tsx";
import type { AnswerOf } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { CodeBlock, CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionList, Timeline, TimelineEntry } from "#app/console/ui/details.tsx";
import { formatLatency, typographic } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime, useNow } from "#app/console/ui/time.tsx";

type EventPath = { id: string; eventId: string };
type EventDetail = AnswerOf<"webhookEvents.getEvent">;

const REFRESHED = { refetchInterval: EVENTS_REFRESH_MS };

/** The server keeps this many attempts per event. */
const ATTEMPTS_MAX = "50";

export function WebhookEventDetails() {
  const path = useParams<EventPath>();
  const event = useRead("webhookEvents.getEvent", { params: path }, REFRESHED);
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
function ReplayEventButton({ path, event }: { path: EventPath; event: EventDetail }) {
  const replay = useReplayEvent();
  return (
    <Button
      variant="default"
      aria-busy={replay.isPending}
      onClick={() => replay.start({ params: path })}
    >
      {event.attempts === 0 ? "Deliver now" : "Replay event"}
    </Button>
  );
}

function EventFacts({ event }: { event: EventDetail }) {
  const subject = eventSubject(event);
  return (
    <Panel title="Details">
      <DescriptionList
        items={{
          "Next attempt": <NextWebhookAttempt event={event} />,
          ...(subject && { [subject.kind]: <SubjectLink subject={subject} /> }),
          Created: <ExactTime at={event.createdAt} />,
          Test: event.isTest && "This is a test event with example data",
          Endpoint: <CopyableValue value={event.webhook.endpoint} label="endpoint" />,
          ID: <CopyableValue value={event.id} label="ID" />,
        }}
      />
    </Panel>
  );
}

/** When the next attempt is due, or why there is none. */
function NextWebhookAttempt({ event }: { event: EventDetail }) {
  const { status, nextAttemptAt: next, webhook } = event;
  const now = useNow();
  if (next && new Date(next) <= now) return "Now";
  if (next)
    return (
      <>
        <RelativeTime at={next} />, on <ExactTime at={next} />
      </>
    );
  if (status === "success") return "None: delivered";
  if (status === "failed") return "None. All eight attempts failed. You can replay the event.";
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

const WebhookEventSkeleton = () => (
  <>
    <Skeleton height={20} width={180} mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <SideBySide side={<PanelSkeleton count={4} />}>
      <Panel>
        <Skeleton height={PAYLOAD_HEIGHT} />
      </Panel>
    </SideBySide>
  </>
);

/** The email or domain that an event concerns; `href` is null if it was deleted. */
export type EventSubject = { kind: "Email" | "Domain"; name: string; href: string | null };

type Event = { type: string; isTest: boolean; payload: Record<string, unknown> };

/** The payload fields that identify an email or a domain. */
type Data = { email_id?: string; subject?: string; id?: string; name?: string };

/** Reads the subject from an event's payload. Null for test events, whose subjects don't exist. */
export function eventSubject({ type, isTest, payload }: Event): EventSubject | null {
  if (isTest) return null;
  const { email_id: emailId, subject, id, name } = (payload.data ?? {}) as Data;
  if (emailId)
    return { kind: "Email", name: subject || emailId, href: `/console/emails/${emailId}` };
  if (!id || !name) return null;
  const href = type === "domain.deleted" ? null : `/console/domains/${id}`;
  return { kind: "Domain", name, href };
}

function EventAttempts({ path }: { path: EventPath }) {
  const input = { params: path, query: { limit: ATTEMPTS_MAX } };
  const attempts = useRead("webhookEvents.listAttempts", input, REFRESHED);
  return (
    <Panel title="Attempts">
      <QueryView query={attempts} noun="the attempts" skeleton={<SkeletonLines count={2} />}>
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

type Attempt = AnswerOf<"webhookEvents.listAttempts">["data"][number];

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

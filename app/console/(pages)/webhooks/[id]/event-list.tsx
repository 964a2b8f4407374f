"use client";

import { Button, Skeleton, VisuallyHidden } from "@mantine/core";
import Link from "next/link";

import {
  EVENTS_PER_PAGE,
  type EventRow,
  useReplayEvent,
} from "#app/console/(pages)/webhooks/event-queries.ts";
import type { WebhookDetail } from "#app/console/(pages)/webhooks/queries.ts";
import { eventStates } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { useRowKeys } from "#app/console/ui/use-row-keys.ts";

import classes from "./event-list.module.css";

// As in the list of emails: on a phone the style sheet makes cards of the rows.
export function EventList({ webhook, events }: { webhook: WebhookDetail; events: EventRow[] }) {
  const table = useRowKeys<HTMLTableElement>();
  return (
    <table ref={table} role="table" className={classes.table} aria-label="Events, newest first">
      <Head />
      <tbody role="rowgroup">
        {events.map((event) => (
          <Row key={event.id} webhook={webhook} event={event} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ webhook, event }: { webhook: WebhookDetail; event: EventRow }) {
  const isReplayable = event.status === "failed" && webhook.status === "enabled";
  return (
    <tr role="row" className={classes.row}>
      <td role="cell" className={classes.type}>
        <Link
          href={`/console/webhooks/${webhook.id}/events/${event.id}`}
          data-row-link
          className={classes.link}
        >
          {event.type}
        </Link>
        {event.is_test && <span className={classes.test}>Test</span>}
      </td>
      <td role="cell" className={classes.about}>
        {event.about}
      </td>
      <td role="cell" className={classes.status}>
        <Status {...eventStates[event.status]} />
      </td>
      <td role="cell" className={classes.attempts}>
        {attemptsInWords(event.attempts)}
      </td>
      <td role="cell" className={classes.created}>
        <RelativeMoment at={event.created_at} />
      </td>
      <td role="cell" className={classes.replay}>
        {isReplayable && <Replay webhookId={webhook.id} event={event} />}
      </td>
    </tr>
  );
}

function Replay({ webhookId, event }: { webhookId: string; event: EventRow }) {
  const replay = useReplayEvent(webhookId);
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Replay ${event.id}`}
      title={replay.isError ? replay.error.message : "Deliver it once more, at once"}
      loading={replay.isPending}
      onClick={() => replay.mutate(event.id)}
    >
      {replay.isError ? "Failed" : "Replay"}
    </Button>
  );
}

const attemptsInWords = (attempts: number) =>
  attempts === 1 ? "1 attempt" : `${attempts || "No"} attempts`;

function Head() {
  return (
    <thead role="rowgroup" className={classes.head}>
      <tr role="row" className={classes.columns}>
        <th role="columnheader">Type</th>
        <th role="columnheader">About</th>
        <th role="columnheader">Status</th>
        <th role="columnheader">Attempts</th>
        <th role="columnheader" className={classes.created}>
          Happened
        </th>
        <th role="columnheader">
          <VisuallyHidden>Replay</VisuallyHidden>
        </th>
      </tr>
    </thead>
  );
}

export function EventListSkeleton() {
  return (
    <div className={classes.table}>
      <div className={classes.columns} />
      {Array.from({ length: EVENTS_PER_PAGE }, (_, row) => (
        <div key={row} className={classes.row}>
          <span className={classes.type}>
            <Skeleton height={12} width={`${110 + ((row * 37) % 60)}px`} />
          </span>
          <span className={classes.about}>
            <Skeleton height={12} width={`${50 + ((row * 23) % 40)}%`} />
          </span>
          <span className={classes.status}>
            <Skeleton height={12} width={76} />
          </span>
          <span className={classes.attempts}>
            <Skeleton height={12} width={72} />
          </span>
          <span className={classes.created}>
            <Skeleton height={12} width={88} />
          </span>
        </div>
      ))}
    </div>
  );
}

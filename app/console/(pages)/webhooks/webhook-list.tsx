"use client";

import { Skeleton } from "@mantine/core";
import Link from "next/link";

import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { useRowKeys } from "#app/console/ui/use-row-keys.ts";

import { eventsInWords } from "./event-types.ts";
import type { WebhookRow } from "./queries.ts";
import classes from "./webhook-list.module.css";
import { failuresInWords, healthInWords, partsOf, stateOf } from "./webhook-words.ts";

// One markup for both: on a phone the style sheet makes cards of the rows. The roles are spelled out
// since a row that is laid out as a grid loses its own.
export function WebhookList({ webhooks }: { webhooks: WebhookRow[] }) {
  const table = useRowKeys<HTMLTableElement>();
  return (
    <table ref={table} role="table" className={classes.table} aria-label="Webhooks, newest first">
      <Head />
      <tbody role="rowgroup">
        {webhooks.map((webhook) => (
          <Row key={webhook.id} webhook={webhook} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ webhook }: { webhook: WebhookRow }) {
  const { host, rest } = partsOf(webhook.endpoint);
  const isFailing = webhook.failures > 0;
  return (
    <tr role="row" className={classes.row}>
      <td role="cell" className={classes.endpoint}>
        <Link
          href={`/console/webhooks/${webhook.id}`}
          data-row-link
          className={classes.link}
          title={webhook.endpoint}
        >
          {host}
          <span className={classes.path}>{rest}</span>
        </Link>
      </td>
      <td role="cell" className={classes.status}>
        <Status {...stateOf(webhook)} />
      </td>
      <td role="cell" className={classes.events}>
        {eventsInWords(webhook.events)}
      </td>
      <td role="cell" className={classes.health}>
        {isFailing ? failuresInWords(webhook.failures) : healthInWords(webhook.health)}
      </td>
      <td role="cell" className={classes.created}>
        <RelativeMoment at={webhook.created_at} />
      </td>
    </tr>
  );
}

function Head() {
  return (
    <thead role="rowgroup" className={classes.head}>
      <tr role="row" className={classes.columns}>
        <th role="columnheader">Endpoint</th>
        <th role="columnheader">Status</th>
        <th role="columnheader">Events</th>
        <th role="columnheader">Health, last 24 hours</th>
        <th role="columnheader" className={classes.created}>
          Created
        </th>
      </tr>
    </thead>
  );
}

const ROWS = 3;

export function WebhookListSkeleton() {
  return (
    <div className={classes.table}>
      <div className={classes.columns} />
      {Array.from({ length: ROWS }, (_, row) => (
        <div key={row} className={classes.row}>
          <span className={classes.endpoint}>
            <Skeleton height={12} width={`${50 + ((row * 17) % 40)}%`} />
          </span>
          <span className={classes.status}>
            <Skeleton height={12} width={72} />
          </span>
          <span className={classes.events}>
            <Skeleton height={12} width={96} />
          </span>
          <span className={classes.health}>
            <Skeleton height={12} width={`${60 + ((row * 13) % 30)}%`} />
          </span>
          <span className={classes.created}>
            <Skeleton height={12} width={80} />
          </span>
        </div>
      ))}
    </div>
  );
}

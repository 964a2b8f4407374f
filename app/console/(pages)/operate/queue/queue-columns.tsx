import { Button, Group } from "@mantine/core";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { pluralize, typographic } from "#app/console/ui/format.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { type StatusTone } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { RetryButton } from "./holds.tsx";
import { type QueuedRecipient, type QueueRow, queueUrl, type QueuedBy } from "./queries.ts";
import classes from "./queue.module.css";

export type ListedQueueRow = QueueRow & { id: string; isOnHold: boolean };

/** @param onHold asks for holding the mail of a row */
export const queueList = (
  kind: QueuedBy["kind"],
  onHold: (row: ListedQueueRow) => void,
): ListLayout<ListedQueueRow> => ({
  noun: "queued mail",
  label: `Queued mail by ${kind}`,
  standardSort: "-waiting",
  columns: {
    name: {
      header: kind === "company" ? "Mail from" : "Mail to",
      kind: "name",
      width: "minmax(0, 4fr)",
      sort: "name",
      cell: ({ subject, name }) => (
        <ListRowLink href={queueUrl({ kind, subject })}>{name}</ListRowLink>
      ),
    },
    state: statusColumn("116px", rowStatus),
    waiting: {
      header: "Queued",
      width: "136px",
      sort: "-waiting",
      cell: ({ waiting }) => pluralize(waiting, "recipient"),
    },
    reply: {
      header: "Last reply",
      wraps: true,
      width: "minmax(0, 6fr)",
      isOptional: true,
      cell: ({ lastReply: reply }) =>
        reply && <span title={reply.text}>{typographic(reply.why)}</span>,
    },
    next: {
      header: "Next attempt",
      kind: "moment",
      width: "128px",
      isOptional: true,
      sort: "next",
      cell: ({ isOnHold, nextAttemptAt: at }) => !isOnHold && at && <RelativeTime at={at} />,
    },
    actions: {
      header: "Actions",
      kind: "actions",
      width: "188px",
      cell: (row) =>
        !row.isOnHold && (
          <Group gap="xs" wrap="nowrap">
            <RetryButton subject={{ kind, subject: row.subject }} name={row.name} size="xs" />
            <Button
              size="xs"
              variant="default"
              aria-label={`Hold ${row.name}`}
              onClick={() => onHold(row)}
            >
              Hold
            </Button>
          </Group>
        ),
    },
  },
  phone: `"name state" auto "waiting actions" auto / minmax(0, 1fr) auto`,
});

function rowStatus(row: ListedQueueRow): { label: string; tone: StatusTone } {
  if (row.isOnHold || row.parked === row.waiting) return { label: "On hold", tone: "waiting" };
  if (row.delayed > 0) return { label: "Delayed", tone: "waiting" };
  return { label: "Queued", tone: "info" };
}

export const QUEUED_RECIPIENT_LIST: ListLayout<QueuedRecipient> = {
  noun: "recipients",
  label: "Queued recipients by next attempt",
  columns: {
    name: {
      header: "Recipient",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: ({ recipient, sender, queuedAt }) => (
        <span title={`From ${sender || "an empty sender"}, queued ${queuedAt}`}>{recipient}</span>
      ),
    },
    company: {
      header: "Company",
      width: "minmax(0, 3fr)",
      isOptional: true,
      cell: ({ company }) => company.name,
    },
    reply: {
      header: "Last reply",
      wraps: true,
      width: "minmax(0, 6fr)",
      cell: ({ lastReply: reply }) =>
        reply ? (
          <>
            {typographic(reply.why)}
            <code className={classes.quote} title={reply.text}>
              {reply.text}
            </code>
          </>
        ) : (
          "No attempt yet"
        ),
    },
    next: {
      header: "Next attempt",
      kind: "moment",
      width: "128px",
      cell: (recipient) => <NextAttemptTime recipient={recipient} />,
    },
  },
  phone: `"name next" auto "reply reply" auto / minmax(0, 1fr) auto`,
};

function NextAttemptTime({ recipient }: { recipient: QueuedRecipient }) {
  if (recipient.isParked) return "On hold";
  if (recipient.isInFlight) return "Delivering";
  return recipient.nextAttemptAt && <RelativeTime at={recipient.nextAttemptAt} />;
}

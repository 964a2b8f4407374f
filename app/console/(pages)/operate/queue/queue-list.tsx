"use client";

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { pluralize } from "#app/console/ui/format.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { type StatusTone, Status } from "#app/console/ui/status.tsx";

import { HoldDialog } from "./hold-dialog.tsx";
import { queueUrl } from "./queue-url.ts";
import classes from "./queue.module.css";
import type { Hold, Subject, QueueRow } from "./queries.ts";
import { explainTemporaryReply } from "./temporary-replies.ts";
import { RetryButton } from "./retry-button.tsx";

const columns = {
  name: { area: "name", header: "Mail to", kind: "name" },
  state: { area: "state", header: "Status", kind: "status" },
  waiting: { area: "waiting", header: "Queued", kind: "text" },
  reply: { area: "reply", header: "Last reply", kind: "text", isOptional: true },
  next: { area: "next", header: "Next attempt", kind: "moment", isOptional: true },
  actions: { area: "actions", header: "Actions", kind: "actions" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function QueueList({
  kind,
  rows,
  holds,
}: {
  kind: Subject["kind"];
  rows: QueueRow[];
  holds: Hold[];
}) {
  const [holdName, setHoldName] = useState<string | null>(null);
  if (rows.length === 0)
    return (
      <EmptyState title="The queue is empty">
        <Text c="dimmed">
          Mail is usually delivered within a second. Delayed mail appears here with the reason and
          the next attempt.
        </Text>
      </EmptyState>
    );
  const isOnHold = (subject: string) =>
    holds.some((hold) => hold.kind === kind && hold.subject === subject);
  const named = { ...columns.name, header: kind === "company" ? "Mail from" : "Mail to" };
  return (
    <>
      <ListTable
        label={`Queued mail by ${kind}, largest first`}
        columns={{ ...columns, name: named }}
        grid={classes.grid}
      >
        {rows.map((row) => (
          <QueueListRow
            key={row.subject}
            row={row}
            kind={kind}
            isOnHold={isOnHold(row.subject)}
            onHold={() => setHoldName(row.name)}
          />
        ))}
      </ListTable>
      <HoldDialog
        isOpen={holdName !== null}
        onClose={() => setHoldName(null)}
        subject={{ kind, ...subjectOf(rows, holdName) }}
      />
    </>
  );
}

const subjectOf = (rows: QueueRow[], holdName: string | null) => {
  const row = rows.find(({ name }) => name === holdName);
  return { subject: row?.subject ?? "", name: row?.name ?? "" };
};

type RowProps = { row: QueueRow; kind: Subject["kind"]; isOnHold: boolean; onHold: () => void };

function QueueListRow({ row, kind, isOnHold, onHold }: RowProps) {
  const subject = { kind, subject: row.subject };
  return (
    <ListRow>
      <ListCell column={columns.name}>
        <ListRowLink href={queueUrl(subject)}>{row.name}</ListRowLink>
      </ListCell>
      <ListCell column={columns.state}>
        <Status {...rowStatus(row, isOnHold)} />
      </ListCell>
      <ListCell column={columns.waiting}>{pluralize(row.waiting, "recipient")}</ListCell>
      <ListCell column={columns.reply}>
        {row.last_reply && (
          <span title={row.last_reply.text}>{explainTemporaryReply(row.last_reply.dsn)}</span>
        )}
      </ListCell>
      <ListCell column={columns.next}>
        {!isOnHold && row.next_attempt_at && <RelativeTime at={row.next_attempt_at} />}
      </ListCell>
      <ListCell column={columns.actions}>
        {!isOnHold && (
          <Group gap="xs" wrap="nowrap">
            <RetryButton subject={subject} name={row.name} size="xs" />
            <Button size="xs" variant="default" aria-label={`Hold ${row.name}`} onClick={onHold}>
              Hold
            </Button>
          </Group>
        )}
      </ListCell>
    </ListRow>
  );
}

function rowStatus(row: QueueRow, isOnHold: boolean): { label: string; tone: StatusTone } {
  if (isOnHold || row.parked === row.waiting) return { label: "On hold", tone: "waiting" };
  if (row.delayed > 0) return { label: "Delayed", tone: "waiting" };
  return { label: "Queued", tone: "info" };
}

const SKELETON_ROWS = 6;

export function QueueListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}

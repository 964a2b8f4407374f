"use client";

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { pluralize } from "#app/console/(pages)/operate/plan-limits.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { type Meaning, Status } from "#app/console/ui/status.tsx";

import { HoldDialog } from "./hold-dialog.tsx";
import { queueUrl } from "./queue-url.ts";
import classes from "./queue.module.css";
import type { Hold, Subject, QueueRow } from "./queries.ts";
import { explainTemporaryReply } from "./temporary-replies.ts";
import { RetryButton } from "./retry-button.tsx";

const columns = {
  name: { area: "name", head: "Mail to", kind: "name" },
  state: { area: "state", head: "Status", kind: "status" },
  waiting: { area: "waiting", head: "Queued", kind: "text" },
  reply: { area: "reply", head: "Last reply", kind: "text", isExtra: true },
  next: { area: "next", head: "Next attempt", kind: "moment", isExtra: true },
  actions: { area: "actions", head: "Actions", kind: "actions" },
} satisfies Record<string, Column>;

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
      <EmptyList title="The queue is empty">
        <Text c="dimmed">
          Mail is usually delivered within a second. Delayed mail appears here with the reason and
          the next attempt.
        </Text>
      </EmptyList>
    );
  const isOnHold = (subject: string) =>
    holds.some((hold) => hold.kind === kind && hold.subject === subject);
  const named = { ...columns.name, head: kind === "company" ? "Mail from" : "Mail to" };
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
      <Cell of={columns.name}>
        <RowLink href={queueUrl(subject)}>{row.name}</RowLink>
      </Cell>
      <Cell of={columns.state}>
        <Status {...rowStatus(row, isOnHold)} />
      </Cell>
      <Cell of={columns.waiting}>{pluralize(row.waiting, "recipient")}</Cell>
      <Cell of={columns.reply}>
        {row.last_reply && (
          <span title={row.last_reply.text}>{explainTemporaryReply(row.last_reply.dsn)}</span>
        )}
      </Cell>
      <Cell of={columns.next}>
        {!isOnHold && row.next_attempt_at && <RelativeMoment at={row.next_attempt_at} />}
      </Cell>
      <Cell of={columns.actions}>
        {!isOnHold && (
          <Group gap="xs" wrap="nowrap">
            <RetryButton subject={subject} name={row.name} size="xs" />
            <Button size="xs" variant="default" aria-label={`Hold ${row.name}`} onClick={onHold}>
              Hold
            </Button>
          </Group>
        )}
      </Cell>
    </ListRow>
  );
}

function rowStatus(row: QueueRow, isOnHold: boolean): { word: string; meaning: Meaning } {
  if (isOnHold || row.parked === row.waiting) return { word: "On hold", meaning: "informing" };
  if (row.delayed > 0) return { word: "Delayed", meaning: "waiting" };
  return { word: "Delivering", meaning: "done" };
}

const SKELETON_ROWS = 6;

export function QueueListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}

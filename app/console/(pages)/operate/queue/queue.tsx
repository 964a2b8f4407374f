"use client";

import { Anchor, Button, Group, Stack, Tabs, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { useRead } from "#app/console/endpoint-queries.ts";
import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { useListParams } from "#app/console/ui/list-params.ts";
import { type ListParams, ListTools } from "#app/console/ui/list-tools.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import { HoldDialog, HoldList } from "./holds.tsx";
import type { Hold, QueueAnswer, QueueRow, QueuedBy } from "./queries.ts";
import { type ListedQueueRow, queueList } from "./queue-columns.tsx";
import { QueueSubject } from "./queue-subject.tsx";
import classes from "./queue.module.css";

const REFRESH_MS = 10_000;

export function Queue() {
  const params = useListParams(["-waiting", "name", "next"]);
  const queue = useRead(
    "queue.get",
    { query: { sort: params.sort } },
    { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData },
  );
  const subject = useSubject();
  const tab = useSearchParams().get("by") === "company" ? "company" : "destination";
  const [isHolding, dialog] = useDisclosure();
  if (subject) return <QueueSubject key={subject.subject} subject={subject} queue={queue.data} />;
  return (
    <>
      <PageHeader
        title="Queue"
        help="tracing"
        description="Outgoing mail: emails sent through the API, and mail from mailboxes, groups, and rules."
        action={
          queue.data && (
            <Button variant="default" onClick={dialog.open}>
              Hold mail
            </Button>
          )
        }
      />
      <QueryView
        query={queue}
        noun="the queue"
        skeleton={<DataTableSkeleton layout={queueList(tab, () => {})} rows={6} />}
      >
        {({ depth, holds, destinations, companies }) => (
          <Stack gap="md">
            <QueueDepth depth={depth} />
            <HoldList holds={holds} />
            <Tabs
              value={tab}
              onChange={(next) => replaceSearch(next === "company" ? "?by=company" : "?")}
              keepMounted={false}
            >
              <Tabs.List mb="md">
                <Tabs.Tab value="destination">By destination</Tabs.Tab>
                <Tabs.Tab value="company">By company</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value={tab}>
                <QueueList
                  kind={tab}
                  rows={tab === "company" ? companies : destinations}
                  holds={holds}
                  params={params}
                />
              </Tabs.Panel>
            </Tabs>
          </Stack>
        )}
      </QueryView>
      <HoldDialog isOpen={isHolding} onClose={dialog.close} />
    </>
  );
}

function useSubject(): QueuedBy | null {
  const params = useSearchParams();
  const [kind, subject] = [params.get("kind"), params.get("subject")];
  if (!subject || (kind !== "destination" && kind !== "company")) return null;
  return { kind, subject };
}

function QueueList({
  kind,
  rows,
  holds,
  params,
}: {
  kind: QueuedBy["kind"];
  rows: QueueRow[];
  holds: Hold[];
  params: ListParams;
}) {
  const [held, setHeld] = useState<ListedQueueRow | null>(null);
  if (rows.length === 0)
    return (
      <EmptyState title="The queue is empty">
        <Text>
          Mail is usually delivered within a second. Delayed mail appears here with the reason and
          the next attempt.
        </Text>
      </EmptyState>
    );
  const layout = queueList(kind, setHeld);
  const isOnHold = (subject: string) =>
    holds.some((hold) => hold.kind === kind && hold.subject === subject);
  const listed = rows.map((row) => ({
    ...row,
    id: row.subject,
    isOnHold: isOnHold(row.subject),
  }));
  return (
    <>
      <FilterBar>
        <ListTools layout={layout} params={params} />
      </FilterBar>
      <DataTable layout={layout} rows={listed} {...params} />
      <HoldDialog
        isOpen={held !== null}
        onClose={() => setHeld(null)}
        subject={{ kind, subject: held?.subject ?? "", name: held?.name ?? "" }}
      />
    </>
  );
}

/** Mail due for longer than this means that no worker is leasing it. */
const STUCK_SECONDS = 60;

function QueueDepth({ depth }: { depth: QueueAnswer["depth"] }) {
  const { waiting, due, inFlight, delayed, parked } = depth;
  const oldest = depth.oldestDueSeconds;
  return (
    <>
      <dl className={classes.figures} aria-label="Queue size in recipients">
        <DepthStat name="Queued" value={waiting} />
        <DepthStat name="Due" value={due} />
        <DepthStat name="Delivering" value={inFlight} />
        <DepthStat name="Delayed" value={delayed} />
        <DepthStat name="On hold" value={parked} />
      </dl>
      {oldest !== null && oldest > STUCK_SECONDS && (
        <Group role="status" gap="4px 12px">
          <Status tone="failed" label="Stuck" />
          <span>
            The oldest message has been due for {Math.round(oldest / 60)} min. No worker is
            processing it.
          </span>
          <Anchor component={Link} href="/console/operate/health" underline="always">
            Check Health
          </Anchor>
        </Group>
      )}
    </>
  );
}

function DepthStat({ name, value }: { name: string; value: number }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{formatCount(value)}</dd>
    </div>
  );
}

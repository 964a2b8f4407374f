"use client";

import { Anchor, Button, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect, useState } from "react";

import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { downloadUrl } from "#app/console/console-client.ts";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { anyText, timestamp, useUrlFilters, uuid } from "#app/console/ui/url-filters.ts";

import { LogFilters } from "./log-filters.tsx";
import { statusLabel } from "./log-labels.ts";
import classes from "./logs.module.css";
import {
  type LogFilterParams,
  type LogPage,
  type LogRow,
  logsQuery,
  METHODS,
  newLogsQuery,
} from "./queries.ts";

const HEAD = {
  title: "Logs",
  sentence: "API requests from the last 30 days.",
  help: "limits",
} as const;

const SKELETON_ROWS = 20;

export function Logs() {
  const place = usePageCursor();
  const filters = useFilters();
  const params = useListParams(TIME_SORTS);
  const [isLive, setIsLive] = useState(true);
  const logs = useQuery(logsQuery(place, filters, params.sort));
  const isEmpty = logs.data?.newest === null;
  const showsNewest = isFirstPage(place) && !filters.to && params.sort === "-created";
  const live = showsNewest && (
    <Switch
      label="Live"
      checked={isLive}
      onChange={(event) => setIsLive(event.currentTarget.checked)}
    />
  );
  return (
    <>
      <PageHeader {...HEAD} />
      {!isEmpty && !isForbidden(logs) && (
        <LogFilters filters={filters} live={live}>
          <ListTools
            layout={LOG_LIST}
            params={params}
            exportUrl={downloadUrl("logs.export", { query: { ...filters, sort: params.sort } })}
            hasViews
          />
        </LogFilters>
      )}
      <ListView
        {...{ place, params }}
        layout={LOG_LIST}
        query={logs}
        skeletonRows={SKELETON_ROWS}
        // A company with requests has none on a page only because of its filters.
        isFiltered={!isEmpty}
        empty={<NoLogs />}
        above={(page) =>
          showsNewest &&
          isLive &&
          !logs.isPlaceholderData && (
            <NewRequests page={page} filters={filters} onShow={() => void logs.refetch()} />
          )
        }
      />
    </>
  );
}

const STATUS = /^([245]xx|[1-5]\d\d)$/;

const useFilters = (): LogFilterParams =>
  useUrlFilters({
    status: (text) => (STATUS.test(text) ? text : undefined),
    method: (text) => METHODS.find((method) => method === text),
    endpoint: anyText,
    apiKey: uuid,
    userAgent: anyText,
    from: timestamp,
    to: timestamp,
  });

/** Shown until the search parameters are known. */
export function LogsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={LOG_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

/** Shown until the company's first API request. */
function NoLogs() {
  return (
    <EmptyState title="No API requests yet">
      <Text c="dimmed">
        API requests appear here automatically with their response status. Failed requests explain
        what went wrong and how to fix it. Request bodies aren’t stored. Run this code to make your
        first request:
      </Text>
      <SendEmailSamples />
      <Text size="sm" c="dimmed">
        No API key yet?{" "}
        <Anchor component={Link} href="/console/api-keys/new" inherit underline="always">
          Create API key
        </Anchor>
      </Text>
    </EmptyState>
  );
}

/** Less scrolling than this counts as being at the top. */
const TOP_PX = 40;

/**
 * Shows new requests immediately if the page is scrolled to the top. Otherwise offers a button, so that the
 * rows being read don't move.
 */
function NewRequests({
  page,
  filters,
  onShow,
}: {
  page: LogPage;
  filters: LogFilterParams;
  onShow: () => void;
}) {
  const fresh = useQuery(newLogsQuery(page.newest ?? "", filters));
  const shown = new Set(page.data.map(({ id }) => id));
  const count = fresh.data?.data.filter(({ id }) => !shown.has(id)).length ?? 0;
  useEffect(() => {
    if (count > 0 && window.scrollY < TOP_PX) onShow();
    // Run once per update; onShow is a new function on every render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [count, fresh.dataUpdatedAt]);
  if (count === 0) return <div className={classes.bar} role="status" />;
  return (
    <div className={classes.bar} role="status">
      <Button
        size="xs"
        onClick={() => {
          onShow();
          window.scrollTo({ top: 0 });
        }}
      >
        {buttonLabel(count, fresh.data?.hasMore ?? false)}
      </Button>
    </div>
  );
}

function buttonLabel(count: number, hasMore: boolean): string {
  if (hasMore) return `Show ${count}+ new requests`;
  return `Show ${pluralize(count, "new request")}`;
}

export const LOG_LIST: ListLayout<LogRow> = {
  noun: "requests",
  label: "API requests",
  className: classes.list,
  columns: [
    {
      area: "request",
      header: "Request",
      kind: "name",
      width: "minmax(0, 6fr)",
      cell: ({ id, method, path }) => (
        <>
          <span className={classes.method}>{method}</span>
          <ListRowLink href={`/console/logs/${id}`} title={path}>
            {path}
          </ListRowLink>
        </>
      ),
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "172px",
      cell: ({ status }) => <Status {...statusLabel(status)} />,
    },
    {
      area: "key",
      header: "API key",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: ({ apiKey: key }) => key?.name,
    },
    {
      area: "agent",
      header: "User agent",
      kind: "text",
      width: "minmax(0, 4fr)",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ userAgent: agent }) => agent,
    },
    {
      area: "at",
      header: "Time",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ method, path }) => `${method} ${path}`,
      ({ id, path, apiKey: key }) => (
        <>
          <LinkItem href={requestsWith({ endpoint: path })}>Show requests with this path</LinkItem>
          {key && (
            <LinkItem href={requestsWith({ apiKey: key.id })}>Show requests with this key</LinkItem>
          )}
          <CopyItem value={id}>Copy ID</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"request menu" auto "status at" auto / minmax(0, 1fr) auto`,
};

const requestsWith = (filter: Record<string, string>) =>
  `/console/logs?${new URLSearchParams(filter).toString()}`;

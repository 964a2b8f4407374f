"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Anchor, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";

import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { isFirstPage, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { anyText, timestamp, useUrlFilters, uuid } from "#app/console/ui/url-filters.ts";

import { LOG_LIST } from "./log-columns.tsx";
import { LogFilters } from "./log-filters.tsx";
import { NewRequests } from "./new-requests.tsx";
import { type LogFilterParams, logsQuery, METHODS } from "./queries.ts";

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

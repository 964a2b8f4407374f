"use client";

import { Anchor, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { ContinueSearch } from "#app/console/ui/continue-search.tsx";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";

import { LogFilters } from "./log-filters.tsx";
import { LogList, LogListSkeleton } from "./log-list.tsx";
import { NewRequests } from "./new-requests.tsx";
import { type LogFilterParams, logsQuery, METHODS } from "./queries.ts";

const HEAD = {
  title: "Logs",
  sentence: "API requests from the last 30 days.",
  help: "limits",
} as const;

export function Logs() {
  const place = usePageCursor();
  const filters = useFilters();
  const [isLive, setIsLive] = useState(true);
  const logs = useQuery(logsQuery(place, filters));
  const isFirst = !place.after && !place.before;
  const isEmpty = logs.data?.newest === null;
  const live = isFirst && !filters.to && (
    <Switch
      label="Live"
      checked={isLive}
      onChange={(event) => setIsLive(event.currentTarget.checked)}
    />
  );
  return (
    <>
      <PageHeader {...HEAD} />
      {!isEmpty && !isForbidden(logs) && <LogFilters filters={filters} live={live} />}
      <QueryView query={logs} noun="the requests" skeleton={<LogListSkeleton />}>
        {(page) => {
          if (isEmpty) return <NoLogs />;
          return (
            <>
              {live && isLive && !logs.isPlaceholderData && (
                <NewRequests page={page} filters={filters} onShow={() => void logs.refetch()} />
              )}
              {page.data.length > 0 ? <LogList logs={page.data} /> : <NoMatchingLogs />}
              {!place.before && <ContinueSearch searchedTo={page.searched_to} />}
              <Pagination cursor={place} page={page} isPlaceholder={logs.isPlaceholderData} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function NoMatchingLogs() {
  return (
    <Text py="lg">
      No matching requests.{" "}
      <Anchor href="?" underline="always" onClick={navigateInPlace("?")}>
        Clear filters
      </Anchor>
    </Text>
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TEXT_MAX = 200;

/** Parsers for the URL's filters, which return undefined for invalid values. */
const parsers: { [Name in keyof LogFilterParams]-?: (text: string) => LogFilterParams[Name] } = {
  status: (text) => (/^([245]xx|[1-5]\d\d)$/.test(text) ? text : undefined),
  method: (text) => METHODS.find((method) => method === text),
  endpoint: (text) => text.slice(0, TEXT_MAX),
  api_key: (text) => (UUID.test(text) ? text : undefined),
  user_agent: (text) => text.slice(0, TEXT_MAX),
  from: parseTimestamp,
  to: parseTimestamp,
};

function parseTimestamp(text: string): string | undefined {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

function useFilters(): LogFilterParams {
  const search = useSearchParams();
  const entries = Object.entries(parsers).map(([name, parse]) => {
    const text = search.get(name);
    return [name, text ? parse(text) : undefined] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Shown until the search parameters are known. */
export function LogsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <LogListSkeleton />
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

"use client";

import { Anchor, Button, Switch, Text } from "@mantine/core";
import { hashKey, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";

import { SendEmailSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { isFirstPage, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { useUrlFilters } from "#app/console/ui/url-filters.ts";
import { usePrivileges } from "#app/console/session.ts";

import { LOG_LIST, type RequestLogPage } from "./log-columns.tsx";
import { LOG_FILTERS, type LogFilterParams, LogFilters } from "./log-filters.tsx";
import classes from "./logs.module.css";

const REFRESH_MS = 5_000;
const NEW_MAX = 100;

export function Logs() {
  const place = usePageCursor();
  const filters = useUrlFilters(LOG_FILTERS);
  const [isLive, setIsLive] = useState(true);
  const isOldestFirst = useSearchParams().get("sort") === "created";
  const showsNewest = isFirstPage(place) && !filters.to && !isOldestFirst;
  return (
    <ListPage
      {...LOG_LIST}
      list="logs.list"
      title="Logs"
      description="API requests from the last 30 days."
      help="limits"
      rowsPerPage={50}
      skeletonRows={20}
      // After the first request, `NewRequests` finds new ones.
      settings={{
        refetchInterval: ({ state }) => (state.data?.newest === null ? REFRESH_MS : false),
      }}
      filters={LOG_FILTERS}
      controls={(filters) => (
        <LogFilters filters={filters}>
          {showsNewest && (
            <Switch
              label="Live"
              checked={isLive}
              onChange={(event) => setIsLive(event.currentTarget.checked)}
            />
          )}
        </LogFilters>
      )}
      exports="logs.export"
      hasViews
      isEmpty={({ newest }) => newest === null}
      empty={() => <NoLogs />}
      above={(page) => showsNewest && isLive && <NewRequests page={page} filters={filters} />}
    />
  );
}

/** Shown until the company's first API request. */
function NoLogs() {
  const { has } = usePrivileges();
  return (
    <EmptyState title="No API requests yet">
      <Text>
        API requests appear here automatically with their response status. Failed requests explain
        what went wrong and how to fix it.{" "}
        {has("api_controls") && "Run this code to make your first request:"}
      </Text>
      {has("api_controls") && (
        <>
          <SendEmailSamples />
          <Text size="sm">
            No API key yet?{" "}
            <Anchor component={Link} href="/console/api-keys/new" inherit underline="always">
              Create API key
            </Anchor>
          </Text>
        </>
      )}
    </EmptyState>
  );
}

/** Less scrolling than this counts as being at the top. */
const TOP_PX = 40;

/**
 * Shows new requests immediately if the page is scrolled to the top. Otherwise offers a button, so that the
 * rows being read don't move.
 */
function NewRequests({ page, filters }: { page: RequestLogPage; filters: LogFilterParams }) {
  const queryClient = useQueryClient();
  // Searches only requests since the page was loaded, so it's fast even with a rarely matching filter.
  const newer = queryOf(
    "logs.list",
    { query: { ...filters, before: page.newest ?? "", limit: String(NEW_MAX) } },
    { refetchInterval: REFRESH_MS, gcTime: 0 },
  );
  const fresh = useQuery(newer);
  const shown = new Set(page.data.map(({ id }) => id));
  const count = fresh.data?.data.filter(({ id }) => !shown.has(id)).length ?? 0;
  const show = () =>
    void queryClient.refetchQueries({
      queryKey: ["logs", "list"],
      predicate: ({ queryHash }) => queryHash !== hashKey(newer.queryKey),
    });
  useEffect(() => {
    if (count > 0 && window.scrollY < TOP_PX) show();
    // Run once per update; show is a new function on every render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [count, fresh.dataUpdatedAt]);
  return (
    <div className={classes.bar} role="status">
      {count > 0 && (
        <Button
          size="xs"
          onClick={() => {
            show();
            window.scrollTo({ top: 0 });
          }}
        >
          {fresh.data?.hasMore
            ? `Show ${count}+ new requests`
            : `Show ${pluralize(count, "new request")}`}
        </Button>
      )}
    </div>
  );
}

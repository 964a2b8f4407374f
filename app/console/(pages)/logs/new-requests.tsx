"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import classes from "./new-requests.module.css";
import { type LogFilters, type LogPage, newLogsQuery } from "./queries.ts";

/** How far from its top a page still counts as there. */
const TOP_PX = 40;

/**
 * Requests that came since the page was read: shown at once at the top of the page, and announced to
 * somebody who reads further down, where nothing is to move.
 */
export function NewRequests({
  page,
  filters,
  onShow,
}: {
  page: LogPage;
  filters: LogFilters;
  onShow: () => void;
}) {
  const fresh = useQuery(newLogsQuery(page.newest ?? "", filters));
  const shown = new Set(page.data.map(({ id }) => id));
  const count = fresh.data?.data.filter(({ id }) => !shown.has(id)).length ?? 0;
  useEffect(() => {
    if (count > 0 && window.scrollY < TOP_PX) onShow();
    // Once for each count: onShow is a new function each time.
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
        {inWords(count, fresh.data?.has_more ?? false)}
      </Button>
    </div>
  );
}

function inWords(count: number, isMore: boolean): string {
  if (isMore) return `More than ${count} new requests`;
  return count === 1 ? "1 new request" : `${count} new requests`;
}

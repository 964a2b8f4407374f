"use client";

import { pluralize } from "#app/console/ui/format.ts";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import classes from "./new-requests.module.css";
import { type LogFilterParams, type LogPage, newLogsQuery } from "./queries.ts";

/** Less scrolling than this counts as being at the top. */
const TOP_PX = 40;

/**
 * Shows new requests immediately if the page is scrolled to the top. Otherwise offers a button, so that the
 * rows being read don't move.
 */
export function NewRequests({
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

"use client";

import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";

import type { EventFilters, EventStatus } from "#app/console/(pages)/webhooks/event-queries.ts";
import { EVENT_GROUPS } from "#app/console/(pages)/webhooks/event-types.ts";
import { EVENT_STATUSES } from "#app/console/(pages)/webhooks/webhook-labels.ts";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import classes from "./event-filters.module.css";

const TYPE_OPTIONS = [
  { value: "", label: "All types" },
  ...EVENT_GROUPS.map(({ name, types }) => ({ group: name, items: Object.keys(types) })),
];

/** The filters are kept in the URL. */
export function EventFilterBar({ filters, action }: { filters: EventFilters; action: ReactNode }) {
  const { status, type } = filters;
  return (
    <div className={classes.filters}>
      <FilterChips label="Status">
        <FilterChip label="All" href={filterUrl({ type })} isActive={!status} />
        {(Object.keys(EVENT_STATUSES) as EventStatus[]).map((option) => (
          <FilterChip
            key={option}
            label={EVENT_STATUSES[option].label}
            href={filterUrl({ status: option, type })}
            isActive={option === status}
          />
        ))}
      </FilterChips>
      <NativeSelect
        aria-label="Type"
        size="sm"
        className={classes.type}
        data={TYPE_OPTIONS}
        value={type ?? ""}
        onChange={(event) => updateSearch({ type: event.currentTarget.value })}
      />
      <div className={classes.action}>{action}</div>
    </div>
  );
}

/** Changing a filter returns to the first page. */
function filterUrl(filters: { status?: string | undefined; type?: string | undefined }): string {
  const params = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(params).toString()}`;
}

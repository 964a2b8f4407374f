"use client";

import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";

import type { EventFilters, EventStatus } from "#app/console/(pages)/webhooks/event-queries.ts";
import { EVENT_GROUPS } from "#app/console/(pages)/webhooks/event-types.ts";
import { eventStates } from "#app/console/(pages)/webhooks/webhook-words.ts";
import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

import classes from "./filters.module.css";

const TYPES = [
  { value: "", label: "All types" },
  ...EVENT_GROUPS.map(({ name, types }) => ({ group: name, items: Object.keys(types) })),
];

/** Which events the list shows; kept in the URL. */
export function Filters({ filters, action }: { filters: EventFilters; action: ReactNode }) {
  const { status, type } = filters;
  return (
    <div className={classes.filters}>
      <Chips label="Status">
        <Chip word="All" href={addressOf({ type })} isOn={!status} />
        {(Object.keys(eventStates) as EventStatus[]).map((each) => (
          <Chip
            key={each}
            word={eventStates[each].word}
            href={addressOf({ status: each, type })}
            isOn={each === status}
          />
        ))}
      </Chips>
      <NativeSelect
        aria-label="Type"
        size="sm"
        className={classes.type}
        data={TYPES}
        value={type ?? ""}
        onChange={(event) => changeSearch({ type: event.currentTarget.value })}
      />
      <div className={classes.action}>{action}</div>
    </div>
  );
}

/** Another choice begins at the newest again. */
function addressOf(filters: { status?: string | undefined; type?: string | undefined }): string {
  const given = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(given).toString()}`;
}

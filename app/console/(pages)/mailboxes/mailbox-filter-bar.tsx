"use client";

import { NativeSelect } from "@mantine/core";
import type { ReactNode } from "react";

import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { MAILBOX_STATES } from "./mailbox-filters.ts";
import type { MailboxFilters, MailboxOptions } from "./queries.ts";

const INDENT = "\u2003";

const NONE = { domains: [], units: [] };
const STATES = [
  { value: "", label: "Any status" },
  ...Object.entries(MAILBOX_STATES).map(([value, label]) => ({ value, label })),
];

/** Search and filters, kept in the URL. */
export function MailboxFilterBar({
  filters,
  options: { domains, units } = NONE,
  children,
}: {
  /** Tools, on the right. */
  children: ReactNode;
  filters: MailboxFilters;
  /** Undefined while loading. */
  options: Pick<MailboxOptions, "domains" | "units"> | undefined;
}) {
  const offered = [...new Set([...domains, ...(filters.domain ? [filters.domain] : [])])];
  return (
    <FilterBar>
      <SearchField
        noun="mailboxes"
        placeholder="Address or name"
        value={filters.search ?? ""}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      <NativeSelect
        aria-label="Status"
        size="sm"
        data={STATES}
        value={filters.status ?? ""}
        onChange={(event) => updateSearch({ status: event.currentTarget.value })}
      />
      {/* Last, because it appears only after the domains have loaded. */}
      {offered.length > 1 && (
        <NativeSelect
          aria-label="Domain"
          size="sm"
          data={[{ value: "", label: "All domains" }, ...offered]}
          value={filters.domain ?? ""}
          onChange={(event) => updateSearch({ domain: event.currentTarget.value })}
        />
      )}
      <UnitFilter
        units={units}
        asked={filters.unit ?? ""}
        onChange={(unit) => updateSearch({ unit })}
      />
      {children}
    </FilterBar>
  );
}

/** Includes subunits. The unit in the URL is always offered, even without the privilege to update it. */
function UnitFilter({
  units,
  asked,
  onChange,
}: {
  units: MailboxOptions["units"];
  asked: string;
  onChange: (unit: string) => void;
}) {
  if (units.length < 2 && asked === "") return null;
  const isOffered = asked === "" || units.some(({ id }) => String(id) === asked);
  return (
    <NativeSelect
      aria-label="Unit"
      size="sm"
      data={[
        { value: "", label: "All units" },
        ...(isOffered ? [] : [{ value: asked, label: "Selected unit" }]),
        ...units.map(({ id, name, depth }) => ({
          value: String(id),
          label: INDENT.repeat(depth) + name,
        })),
      ]}
      value={asked}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

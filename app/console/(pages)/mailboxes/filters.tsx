"use client";

import { NativeSelect } from "@mantine/core";

import { SearchField } from "#app/console/ui/search-field.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import classes from "./filters.module.css";
import type { MailboxFilters } from "./queries.ts";

const STATES = [
  { value: "", label: "Any status" },
  { value: "active", label: "Active" },
  { value: "suspended", label: "Suspended" },
];

/** Which mailboxes the list shows; kept in the URL. */
export function Filters({ filters, domains }: { filters: MailboxFilters; domains: string[] }) {
  const show = (change: Record<string, string>) => {
    const given = Object.entries({ ...filters, ...change }).filter(([, value]) => value);
    showSearch(`?${new URLSearchParams(given).toString()}`);
  };
  const offered = [...new Set([...domains, ...(filters.domain ? [filters.domain] : [])])];
  return (
    <div className={classes.filters} role="search">
      <SearchField
        what="mailboxes"
        hint="Address or name"
        asked={filters.search ?? ""}
        onSearch={(search) => show({ search })}
      />
      <NativeSelect
        aria-label="Status"
        size="sm"
        data={STATES}
        value={filters.status ?? ""}
        onChange={(event) => show({ status: event.currentTarget.value })}
      />
      {/* Last: it comes once the domains are known. */}
      {offered.length > 1 && (
        <NativeSelect
          aria-label="Domain"
          size="sm"
          data={[{ value: "", label: "All domains" }, ...offered]}
          value={filters.domain ?? ""}
          onChange={(event) => show({ domain: event.currentTarget.value })}
        />
      )}
    </div>
  );
}

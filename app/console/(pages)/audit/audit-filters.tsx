"use client";

import { Button, NativeSelect, TextInput } from "@mantine/core";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import { ACTOR_KINDS, filtersUrl, AREAS } from "./filter-values.ts";
import classes from "./audit-filters.module.css";
import type { AuditFilterValues } from "./queries.ts";

export function AuditFilters({ filters }: { filters: AuditFilterValues }) {
  const change = (fields: AuditFilterValues) => filtersUrl({ ...filters, ...fields });
  const show = (fields: AuditFilterValues) => showSearch(change(fields));
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          what="the audit log"
          hint="Actor, action or detail"
          asked={filters.search ?? ""}
          onSearch={(search) => show({ search })}
        />
        <Chips label="Actor type">
          <Chip word="All" href={change({ actor_kind: "" })} isOn={!filters.actor_kind} />
          {Object.entries(ACTOR_KINDS).map(([kind, word]) => (
            <Chip
              key={kind}
              word={word}
              href={change({ actor_kind: kind })}
              isOn={filters.actor_kind === kind}
            />
          ))}
        </Chips>
      </div>
      <div className={`${classes.line} ${classes.choices}`}>
        <NativeSelect
          size="sm"
          className={classes.area}
          aria-label="Area"
          data={[
            { value: "", label: "All areas" },
            ...Object.entries(AREAS).map(([value, label]) => ({ value, label })),
          ]}
          value={filters.area ?? ""}
          onChange={(event) => show({ area: event.currentTarget.value })}
        />
        <DateField label="From" value={filters.from} onChange={(from) => show({ from })} />
        <DateField label="To" value={filters.to} onChange={(to) => show({ to })} />
        {filters.actor && (
          <Chips label="Actor">
            <Chip word={`By ${filters.actor} ×`} href={change({ actor: "" })} isOn />
          </Chips>
        )}
        {Object.keys(filters).length > 0 && (
          <Button variant="subtle" size="xs" onClick={() => showSearch("?")}>
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

function DateField({
  label,
  value = "",
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string) => void;
}) {
  return (
    <label className={classes.day}>
      {label}
      <TextInput
        type="date"
        size="sm"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

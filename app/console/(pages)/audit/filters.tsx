"use client";

import { Button, NativeSelect, TextInput } from "@mantine/core";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import { ACTOR_KINDS, addressOf, AREAS } from "./audit-filters.ts";
import classes from "./filters.module.css";
import type { AuditFilters } from "./queries.ts";

/** Which entries are shown; kept in the URL. */
export function Filters({ filters }: { filters: AuditFilters }) {
  const change = (fields: AuditFilters) => addressOf({ ...filters, ...fields });
  const show = (fields: AuditFilters) => showSearch(change(fields));
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          what="the audit log"
          hint="Name, address or detail"
          asked={filters.search ?? ""}
          onSearch={(search) => show({ search })}
        />
        <Chips label="Who">
          <Chip word="Anybody" href={change({ actor_kind: "" })} isOn={!filters.actor_kind} />
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
          aria-label="What it is about"
          data={[
            { value: "", label: "Everything" },
            ...Object.entries(AREAS).map(([value, label]) => ({ value, label })),
          ]}
          value={filters.area ?? ""}
          onChange={(event) => show({ area: event.currentTarget.value })}
        />
        <Day label="From" value={filters.from} onChange={(from) => show({ from })} />
        <Day label="To" value={filters.to} onChange={(to) => show({ to })} />
        {filters.actor && (
          <Chips label="By">
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

function Day({
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

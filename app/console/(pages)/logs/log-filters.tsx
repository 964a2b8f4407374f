"use client";

import { Button, NativeSelect, TextInput, type TextInputProps } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import { type ReactNode, useState } from "react";

import { useOne } from "#app/console/endpoint-queries.ts";
import { ClearFiltersButton } from "#app/console/ui/clear-filters.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { inputToTimestamp, timestampToInput } from "./log-labels.ts";
import classes from "./logs.module.css";
import { type LogFilterParams, METHODS } from "./queries.ts";

const STATUS_CLASSES = [
  { value: "2xx", label: "Success" },
  { value: "4xx", label: "Client error" },
  { value: "5xx", label: "Server error" },
];

/** @param children tools, on the right */
export function LogFilters({
  filters,
  live,
  children,
}: {
  filters: LogFilterParams;
  live: ReactNode;
  children: ReactNode;
}) {
  const [isMore, setIsMore] = useState(false);
  const search = useSearchParams();
  const usesMore = usesMoreFilters(filters);
  return (
    <div className={classes.filters} role="search">
      <div className={classes.line}>
        <SearchField
          noun="requests"
          placeholder="Path, such as /emails"
          value={filters.endpoint ?? ""}
          onSearch={(path) =>
            updateSearch({ endpoint: path && path.replace(/^\/*/, "/") }, "replace")
          }
        />
        <StatusClassChips
          status={filters.status}
          hrefFor={(status) => changedSearch(search, { status })}
        />
        <div className={classes.live}>{live}</div>
      </div>
      <div className={classes.line}>
        <NativeSelect
          aria-label="Method"
          size="sm"
          data={[{ value: "", label: "Any method" }, ...METHODS]}
          value={filters.method ?? ""}
          onChange={(event) => updateSearch({ method: event.currentTarget.value })}
        />
        <KeySelect value={filters.apiKey} onChange={(key) => updateSearch({ apiKey: key })} />
        {!usesMore && (
          <Button
            variant="subtle"
            size="xs"
            aria-expanded={isMore}
            onClick={() => setIsMore(!isMore)}
          >
            {isMore ? "Fewer filters" : "More filters"}
          </Button>
        )}
        {Object.keys(filters).length > 0 && <ClearFiltersButton />}
        {children}
      </div>
      {(isMore || usesMore) && (
        <MoreLogFilters filters={filters} onChange={(change) => updateSearch(change)} />
      )}
    </div>
  );
}

/** An exact status code gets its own chip, which removes the filter. */
function StatusClassChips({
  status = "",
  hrefFor,
}: {
  status: string | undefined;
  hrefFor: (status: string) => string;
}) {
  return (
    <FilterChips label="Status">
      <FilterChip label="All" href={hrefFor("")} isActive={status === ""} />
      {STATUS_CLASSES.map(({ value, label }) => (
        <FilterChip key={value} label={label} href={hrefFor(value)} isActive={status === value} />
      ))}
      {isExact(status) && <FilterChip label={status} href={hrefFor("")} isActive />}
    </FilterChips>
  );
}

const isExact = (status = "") => status !== "" && !status.endsWith("xx");

const usesMoreFilters = ({ status, userAgent: agent, from, to }: LogFilterParams) =>
  isExact(status) || [agent, from, to].some(Boolean);

/** Active keys from the first page. Another key in the URL is shown by its ID. */
function KeySelect({
  value = "",
  onChange,
}: {
  value: string | undefined;
  onChange: (id: string) => void;
}) {
  const keys = useOne("apiKeys.list", { query: { state: "active", limit: "20" } });
  const known = (keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = value === "" || known.some((option) => option.value === value);
  if (known.length === 0 && isKnown) return null;
  return (
    <NativeSelect
      aria-label="API key"
      size="sm"
      className={classes.key}
      data={[
        { value: "", label: "Any API key" },
        ...known,
        ...(isKnown ? [] : [{ value, label: `API key ${value.slice(0, 8)}` }]),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Filters that are collapsed by default. */
function MoreLogFilters({
  filters,
  onChange,
}: {
  filters: LogFilterParams;
  onChange: (fields: Partial<Record<keyof LogFilterParams, string>>) => void;
}) {
  const { status = "" } = filters;
  return (
    <div className={classes.more}>
      <FilterInput
        label="Status code"
        placeholder="422"
        inputMode="numeric"
        maxLength={3}
        w={110}
        value={status.endsWith("xx") ? "" : status}
        onValue={(text) => {
          if (text === "" || /^[1-5]\d\d$/.test(text)) onChange({ status: text });
        }}
      />
      <FilterInput
        label="User agent"
        placeholder="Contains"
        value={filters.userAgent ?? ""}
        onValue={(text) => onChange({ userAgent: text })}
      />
      <FilterInput
        label="From"
        type="datetime-local"
        value={timestampToInput(filters.from)}
        onValue={(text) => onChange({ from: inputToTimestamp(text) })}
      />
      <FilterInput
        label="To"
        type="datetime-local"
        value={timestampToInput(filters.to)}
        onValue={(text) => onChange({ to: inputToTimestamp(text) })}
      />
    </div>
  );
}

type FilterInputProps = { value: string; onValue: (text: string) => void } & Omit<
  TextInputProps,
  "value" | "onChange" | "onSubmit"
>;

/** A text field that applies its value on blur or Enter. */
export function FilterInput({ value, onValue, ...props }: FilterInputProps) {
  return (
    <TextInput
      key={value}
      size="sm"
      autoComplete="off"
      defaultValue={value}
      {...props}
      onBlur={(event) => {
        const text = event.currentTarget.value.trim();
        if (text !== value) onValue(text);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
      }}
    />
  );
}

"use client";

import { TextInput, type TextInputProps } from "@mantine/core";

import classes from "./log-filters.module.css";
import { inputToTimestamp, timestampToInput } from "./log-labels.ts";
import type { LogFilterParams } from "./queries.ts";

/** Filters that are collapsed by default. */
export function MoreLogFilters({
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

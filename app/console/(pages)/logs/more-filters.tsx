"use client";

import { TextInput, type TextInputProps } from "@mantine/core";

import classes from "./filters.module.css";
import { fromLocal, toLocal } from "./log-words.ts";
import type { LogFilters } from "./queries.ts";

/** Those that are needed now and then. */
export function MoreFilters({
  filters,
  onChange,
}: {
  filters: LogFilters;
  onChange: (fields: Partial<Record<keyof LogFilters, string>>) => void;
}) {
  const { status = "" } = filters;
  return (
    <div className={classes.more}>
      <Field
        label="Exact status"
        placeholder="422"
        inputMode="numeric"
        maxLength={3}
        w={110}
        value={status.endsWith("xx") ? "" : status}
        onValue={(text) => {
          if (text === "" || /^[1-5]\d\d$/.test(text)) onChange({ status: text });
        }}
      />
      <Field
        label="User agent"
        placeholder="Part of it"
        value={filters.user_agent ?? ""}
        onValue={(text) => onChange({ user_agent: text })}
      />
      <Field
        label="From"
        type="datetime-local"
        value={toLocal(filters.from)}
        onValue={(text) => onChange({ from: fromLocal(text) })}
      />
      <Field
        label="To"
        type="datetime-local"
        value={toLocal(filters.to)}
        onValue={(text) => onChange({ to: fromLocal(text) })}
      />
    </div>
  );
}

type FieldProps = { value: string; onValue: (text: string) => void } & Omit<
  TextInputProps,
  "value" | "onChange" | "onSubmit"
>;

/** Counts when it is left, or with Enter. */
export function Field({ value, onValue, ...props }: FieldProps) {
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

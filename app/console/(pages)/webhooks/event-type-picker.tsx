"use client";

import { Checkbox, Text } from "@mantine/core";
import { useId } from "react";

import classes from "./event-type-picker.module.css";
import { EVENT_GROUPS, EVENT_TYPES } from "./event-types.ts";
import type { EventType } from "./queries.ts";

type EventTypeSelection = { value: EventType[]; onChange: (value: EventType[]) => void };

export function EventTypePicker({
  value,
  onChange,
  error,
}: EventTypeSelection & { error: string | null }) {
  const isAll = value.length === EVENT_TYPES.length;
  const errorId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? errorId : undefined}>
      <legend className={classes.legend}>Events</legend>
      <Checkbox
        label="All events"
        checked={isAll}
        indeterminate={value.length > 0 && !isAll}
        onChange={() => onChange(isAll ? [] : EVENT_TYPES)}
      />
      {EVENT_GROUPS.map((group) => (
        <EventTypeGroup key={group.name} group={group} value={value} onChange={onChange} />
      ))}
      {error && (
        <Text id={errorId} role="alert" size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

function EventTypeGroup({
  group: { name, types },
  value,
  onChange,
}: EventTypeSelection & { group: (typeof EVENT_GROUPS)[number] }) {
  const toggle = (type: EventType) =>
    onChange(
      // Keep the displayed order, whatever the order of clicks.
      EVENT_TYPES.filter((option) => value.includes(option) !== (option === type)),
    );
  return (
    <fieldset className={classes.group}>
      <legend className={classes.name}>{name}</legend>
      {(Object.entries(types) as [EventType, string][]).map(([type, explanation]) => (
        <Checkbox
          key={type}
          label={<code className={classes.type}>{type}</code>}
          description={explanation}
          classNames={{ description: classes.explanation }}
          checked={value.includes(type)}
          onChange={() => toggle(type)}
        />
      ))}
    </fieldset>
  );
}

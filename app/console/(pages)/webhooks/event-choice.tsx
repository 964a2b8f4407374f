"use client";

import { Checkbox, Text } from "@mantine/core";
import { useId } from "react";

import classes from "./event-choice.module.css";
import { EVENT_GROUPS, EVENT_TYPES } from "./event-types.ts";
import type { EventType } from "./queries.ts";

type Choice = { value: EventType[]; onChange: (value: EventType[]) => void };

/** The types of events that a webhook gets, in groups. */
export function EventChoice({ value, onChange, error }: Choice & { error: string | null }) {
  const isAll = value.length === EVENT_TYPES.length;
  const problemId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
      <legend className={classes.legend}>Events</legend>
      <Checkbox
        label="All types"
        checked={isAll}
        indeterminate={value.length > 0 && !isAll}
        onChange={() => onChange(isAll ? [] : EVENT_TYPES)}
      />
      {EVENT_GROUPS.map((group) => (
        <GroupOfTypes key={group.name} group={group} value={value} onChange={onChange} />
      ))}
      {error && (
        <Text id={problemId} role="alert" size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

function GroupOfTypes({
  group: { name, types },
  value,
  onChange,
}: Choice & { group: (typeof EVENT_GROUPS)[number] }) {
  const toggle = (type: EventType) =>
    onChange(
      // In the order in which they are shown, whatever was pressed first.
      EVENT_TYPES.filter((each) => value.includes(each) !== (each === type)),
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

"use client";

import { TextInput } from "@mantine/core";
import { useState } from "react";

import classes from "./metrics.module.css";

type Chosen = { from: string; to: string };

const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

/** Days of one's own choice. They count when both are there and make sense. */
export function Days({
  from,
  to,
  onChoose,
}: {
  from: string | null;
  to: string | null;
  onChoose: (days: Chosen) => void;
}) {
  const [days, setDays] = useState({ from: from ?? "", to: to ?? "" });
  const problem = problemOf(days);

  function choose(change: Partial<Chosen>) {
    const changed = { ...days, ...change };
    setDays(changed);
    if (changed.from && changed.to && !problemOf(changed)) onChoose(changed);
  }

  return (
    <fieldset className={classes.days}>
      <legend className={classes.daysLegend}>Days</legend>
      <TextInput
        type="date"
        size="sm"
        aria-label="From"
        max={days.to}
        value={days.from}
        onChange={(event) => choose({ from: event.currentTarget.value })}
      />
      <span aria-hidden="true">–</span>
      <TextInput
        type="date"
        size="sm"
        aria-label="To"
        min={days.from}
        value={days.to}
        onChange={(event) => choose({ to: event.currentTarget.value })}
      />
      {problem && (
        <span role="alert" className={classes.daysProblem}>
          {problem}
        </span>
      )}
    </fieldset>
  );
}

function problemOf({ from, to }: Chosen): string | null {
  if (!from || !to) return null;
  if (from > to) return "The first day is after the last.";
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return length > DAYS_MAX ? `${DAYS_MAX} days at most.` : null;
}

"use client";

import { TextInput } from "@mantine/core";
import { useState } from "react";

import classes from "./metrics.module.css";

type DateRange = { from: string; to: string };

const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

/** A custom date range, applied once both dates are valid. */
export function DateRangeField({
  from,
  to,
  onChoose,
}: {
  from: string | null;
  to: string | null;
  onChoose: (days: DateRange) => void;
}) {
  const [days, setDays] = useState({ from: from ?? "", to: to ?? "" });
  const error = rangeError(days);

  function choose(change: Partial<DateRange>) {
    const changed = { ...days, ...change };
    setDays(changed);
    if (changed.from && changed.to && !rangeError(changed)) onChoose(changed);
  }

  return (
    <fieldset className={classes.days}>
      <legend className={classes.daysLegend}>Date range</legend>
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
      {error && (
        <span role="alert" className={classes.daysProblem}>
          {error}
        </span>
      )}
    </fieldset>
  );
}

function rangeError({ from, to }: DateRange): string | null {
  if (!from || !to) return null;
  if (from > to) return "The start date is after the end date.";
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return length > DAYS_MAX ? `Choose at most ${DAYS_MAX} days.` : null;
}

import { NativeSelect, SegmentedControl, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { emailChoicesQuery } from "#app/console/(pages)/emails/queries.ts";
import { FilterChip, FilterChips, withSelected } from "#app/console/ui/filter-chips.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import classes from "./metrics.module.css";
import {
  dayCount,
  granularitiesFor,
  granularityLabels,
  type MetricsView,
  type Span,
  SPANS,
} from "./period.ts";

export function MetricsFilters({ view }: { view: MetricsView }) {
  // Safe: the object literal has no other keys.
  const spans = Object.keys(SPANS) as Span[];
  const granularities = granularitiesFor(dayCount(view));
  return (
    <div className={classes.filters}>
      <FilterChips label="Period">
        {spans.map((span) => (
          <FilterChip
            key={span}
            label={SPANS[span].label}
            isActive={view.span === span}
            change={{ period: span, from: "", to: "", granularity: "" }}
          />
        ))}
      </FilterChips>
      <DomainFilter
        selected={view.domainId}
        onSelect={(domain) => updateSearch({ domain }, "replace")}
      />
      <span className={classes.turn} />
      <DateRangeField
        key={`${view.from} ${view.to}`}
        from={view.from}
        to={view.to}
        onChoose={(days) => updateSearch({ ...days, period: "", granularity: "" }, "replace")}
      />
      {granularities.length > 1 && (
        <SegmentedControl
          aria-label="Group by"
          size="sm"
          value={view.granularity}
          data={granularities.map((value) => ({ value, label: granularityLabels[value] }))}
          onChange={(granularity) => updateSearch({ granularity }, "replace")}
        />
      )}
    </div>
  );
}

type DomainFilterProps = { selected: string | null; onSelect: (id: string) => void };

function DomainFilter({ selected, onSelect }: DomainFilterProps) {
  const choices = useQuery(emailChoicesQuery);
  const options = (choices.data?.domains ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <NativeSelect
      aria-label="Domain"
      size="sm"
      className={classes.domainChoice}
      value={selected ?? ""}
      onChange={(event) => onSelect(event.currentTarget.value)}
      data={[
        { value: "", label: "All domains" },
        ...withSelected(options, selected ?? "", "Selected domain"),
      ]}
    />
  );
}

type DateRange = { from: string; to: string };

const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

type DateRangeFieldProps = {
  from: string | null;
  to: string | null;
  onChoose: (days: DateRange) => void;
};

/** A custom date range, applied once both dates are valid. */
function DateRangeField({ from, to, onChoose }: DateRangeFieldProps) {
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

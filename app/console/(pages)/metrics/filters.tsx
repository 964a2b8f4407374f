"use client";

import { NativeSelect, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { Chip, Chips } from "#app/console/ui/chips.tsx";
import { showSearch } from "#app/console/ui/show-search.ts";

import { allDomainsQuery } from "./domain-choice.ts";
import { Days } from "./days.tsx";
import classes from "./metrics.module.css";
import { daysOf, granularitiesOf, type Span, SPANS, type View } from "./period.ts";

const granularityWords = { hourly: "Hour", daily: "Day", weekly: "Week", monthly: "Month" };

/** What time is shown, how it is cut, and of which domain: all of it in the URL. */
export function Filters({ view }: { view: View }) {
  const searchWith = useSearchWith();
  // The keys of SPANS are its own.
  const spans = Object.keys(SPANS) as Span[];
  const granularities = granularitiesOf(daysOf(view));
  return (
    <div className={classes.filters}>
      <Chips label="Period">
        {spans.map((span) => (
          <Chip
            key={span}
            word={SPANS[span].word}
            isOn={view.span === span}
            href={searchWith({ period: span, from: null, to: null, granularity: null })}
          />
        ))}
      </Chips>
      <DomainChoice
        chosen={view.domainId}
        onChoose={(domain) => showSearch(searchWith({ domain }))}
      />
      <span className={classes.turn} />
      <Days
        key={`${view.from} ${view.to}`}
        from={view.from}
        to={view.to}
        onChoose={(days) => showSearch(searchWith({ ...days, period: null, granularity: null }))}
      />
      {granularities.length > 1 && (
        <SegmentedControl
          aria-label="Cut into"
          size="sm"
          value={view.granularity}
          data={granularities.map((value) => ({ value, label: granularityWords[value] }))}
          onChange={(granularity) => showSearch(searchWith({ granularity }))}
        />
      )}
    </div>
  );
}

/** The URL with some of it changed; null takes a name out of it. */
function useSearchWith() {
  const now = useSearchParams();
  return (changes: Record<string, string | null>): string => {
    const search = new URLSearchParams(now);
    for (const [name, value] of Object.entries(changes))
      if (value === null) search.delete(name);
      else search.set(name, value);
    return `?${search.toString()}`;
  };
}

function DomainChoice({
  chosen,
  onChoose,
}: {
  chosen: string | null;
  onChoose: (id: string | null) => void;
}) {
  const domains = useQuery(allDomainsQuery);
  return (
    <NativeSelect
      aria-label="Domain"
      size="sm"
      className={classes.domainChoice}
      value={chosen ?? ""}
      onChange={(event) => onChoose(event.currentTarget.value || null)}
      data={[
        { value: "", label: "All domains" },
        ...(domains.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}

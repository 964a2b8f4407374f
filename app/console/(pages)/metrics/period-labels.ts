import type { Point } from "#app/console/ui/charts/series.ts";

import type { Granularity } from "./period.ts";

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const DAY = { day: "numeric", month: "short" } as const;
const formats: Record<Granularity, { tick: Intl.DateTimeFormat; label: Intl.DateTimeFormat }> = {
  hourly: {
    tick: format(CLOCK),
    label: format({ weekday: "short", ...DAY, ...CLOCK }),
  },
  daily: { tick: format(DAY), label: format({ weekday: "short", ...DAY, year: "numeric" }) },
  weekly: { tick: format(DAY), label: format({ ...DAY, year: "numeric" }) },
  monthly: {
    tick: format({ month: "short" }),
    label: format({ month: "long", year: "numeric" }),
  },
};

const HOURS_OF_DAYS = 48;

/** Labels for a period, from its start in local time as returned by the server. */
export function periodLabels(
  label: string,
  granularity: Granularity,
  periods: number,
): Pick<Point, "label" | "tick"> {
  // The label is local time already, so parse and format it as UTC.
  const local = new Date(label.length === 10 ? `${label}T00:00:00Z` : `${label}Z`);
  const { tick, label: full } = formats[granularity];
  const isWide = granularity === "hourly" && periods > HOURS_OF_DAYS;
  return {
    label: granularity === "weekly" ? `Week of ${full.format(local)}` : full.format(local),
    tick: isWide ? formats.daily.tick.format(local) : tick.format(local),
  };
}

export const granularityLabels: Record<Granularity, string> = {
  ...{ hourly: "Hour", daily: "Day", weekly: "Week", monthly: "Month" },
};

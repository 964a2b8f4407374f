import type { Point } from "#app/console/ui/charts/series.tsx";
import { dateFormatter } from "#app/console/ui/format.ts";

import type { Granularity } from "./period.ts";

const format = (options: Intl.DateTimeFormatOptions) =>
  dateFormatter({ ...options, timeZone: "UTC" });

const CLOCK = { hour: "numeric", minute: "2-digit" } as const;
const DAY = { day: "numeric", month: "short" } as const;
type Formatter = ReturnType<typeof dateFormatter>;

const formats: Record<Granularity, { tick: Formatter; label: Formatter }> = {
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
    label: granularity === "weekly" ? `Week of ${full(local)}` : full(local),
    tick: isWide ? formats.daily.tick(local) : tick(local),
  };
}

export const granularityLabels: Record<Granularity, string> = {
  hourly: "Hour",
  daily: "Day",
  weekly: "Week",
  monthly: "Month",
};

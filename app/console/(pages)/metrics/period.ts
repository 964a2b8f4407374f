import type { Point } from "#app/console/ui/charts/series.tsx";
import { dateFormatter } from "#app/console/ui/format.ts";

const GRANULARITIES = ["hourly", "daily", "weekly", "monthly"] as const;

export type Granularity = (typeof GRANULARITIES)[number];

/** Ranges that end now, by their name in the URL. */
export const SPANS = {
  "24h": { label: "24 hours", days: 1 },
  "7d": { label: "7 days", days: 7 },
  "14d": { label: "14 days", days: 14 },
  "30d": { label: "30 days", days: 30 },
  "90d": { label: "90 days", days: 90 },
  "12m": { label: "12 months", days: 365 },
} as const;

export type Span = keyof typeof SPANS;

const SPAN_DEFAULT: Span = "30d";
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The page's filters, as kept in the URL. */
export type MetricsView = {
  /** Null for a custom date range. */
  span: Span | null;
  /** Dates in the reader's time zone, `YYYY-MM-DD`; only without a span. */
  from: string | null;
  to: string | null;
  granularity: Granularity;
  domainId: string | null;
};

type Search = { get(name: string): string | null };

/** Reads the filters from the URL, ignoring invalid values. */
export function parseView(search: Search): MetricsView {
  const [from, to] = [parseDate(search.get("from")), parseDate(search.get("to"))];
  const isCustom = from !== null && to !== null && from <= to;
  const period = search.get("period");
  const span = isCustom ? null : isSpan(period) ? period : SPAN_DEFAULT;
  const days = span ? SPANS[span].days : daysBetween(from!, to!);
  const granularity = search.get("granularity");
  return {
    span,
    from: isCustom ? from : null,
    to: isCustom ? to : null,
    granularity: isAllowed(granularity, days) ? granularity : defaultGranularity(days),
    domainId: search.get("domain"),
  };
}

/** The granularities available for a range of this many days. */
export const granularitiesFor = (days: number): Granularity[] =>
  GRANULARITIES.filter((granularity) => isAllowed(granularity, days));

export const dayCount = ({ span, from, to }: MetricsView): number =>
  span ? SPANS[span].days : daysBetween(from!, to!);

function isAllowed(granularity: string | null, days: number): granularity is Granularity {
  switch (granularity) {
    case "hourly":
      return days <= 31;
    case "daily":
      return days > 1;
    case "weekly":
      return days > 7;
    case "monthly":
      return days > 31;
    default:
      return false;
  }
}

function defaultGranularity(days: number): Granularity {
  if (days <= 2) return "hourly";
  return days <= 120 ? "daily" : "weekly";
}

/**
 * The API query for a view.
 *
 * @param zone the reader's time zone, which determines today's date
 */
export function toMetricsQuery(view: MetricsView, zone: string, now = new Date()) {
  const domain = view.domainId === null ? {} : { domainId: view.domainId };
  const options = { timezone: zone, granularity: view.granularity, ...domain };
  if (view.span === null) return { startDate: view.from!, endDate: view.to!, ...options };
  if (view.span === "24h") {
    const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
    return { startDate: new Date(hour - 23 * HOUR_MS).toISOString(), ...options };
  }
  const back = (SPANS[view.span].days - 1) * DAY_MS;
  return { startDate: parseDate(localDate(now.getTime() - back, zone))!, ...options };
}

/** The local date in a time zone, `YYYY-MM-DD`. */
export const localDate = (instant: number, zone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(instant);

const isSpan = (text: string | null): text is Span => text !== null && Object.hasOwn(SPANS, text);

const parseDate = (text: string | null): string | null =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;

const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

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

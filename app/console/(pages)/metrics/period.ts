/** Lengths of the periods that a chart can be cut into. */
const GRANULARITIES = ["hourly", "daily", "weekly", "monthly"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Ranges that end now, by the name that the URL has for them. */
export const SPANS = {
  "24h": { word: "24 hours", days: 1 },
  "7d": { word: "7 days", days: 7 },
  "14d": { word: "14 days", days: 14 },
  "30d": { word: "30 days", days: 30 },
  "90d": { word: "90 days", days: 90 },
  "12m": { word: "12 months", days: 365 },
} as const;
export type Span = keyof typeof SPANS;

const SPAN_DEFAULT: Span = "30d";
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** How the page is looked at, as its URL says it. */
export type View = {
  /** Null for days of one's own choice. */
  span: Span | null;
  /** Days in the reader's zone, `YYYY-MM-DD`; only without a span. */
  from: string | null;
  to: string | null;
  granularity: Granularity;
  domainId: string | null;
};

type Search = { get(name: string): string | null };

/** Reads the URL; what makes no sense in it counts as not said. */
export function viewOf(search: Search): View {
  const [from, to] = [dayIn(search.get("from")), dayIn(search.get("to"))];
  const isChosen = from !== null && to !== null && from <= to;
  const asked = search.get("period");
  const span = isChosen ? null : isSpan(asked) ? asked : SPAN_DEFAULT;
  const days = span ? SPANS[span].days : daysBetween(from!, to!);
  const granularity = search.get("granularity");
  return {
    span,
    from: isChosen ? from : null,
    to: isChosen ? to : null,
    granularity: fits(granularity, days) ? granularity : usualOf(days),
    domainId: search.get("domain"),
  };
}

/** The periods that a view of so many days can be cut into. */
export function granularitiesOf(days: number): Granularity[] {
  return GRANULARITIES.filter((granularity) => fits(granularity, days));
}

export const daysOf = ({ span, from, to }: View): number =>
  span ? SPANS[span].days : daysBetween(from!, to!);

function fits(granularity: string | null, days: number): granularity is Granularity {
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

function usualOf(days: number): Granularity {
  if (days <= 2) return "hourly";
  return days <= 120 ? "daily" : "weekly";
}

/**
 * What to ask the server for a view.
 *
 * @param now whose clocks show `zone`
 */
export function askedFor(view: View, now: Date, zone: string) {
  const domain = view.domainId === null ? {} : { domain_id: view.domainId };
  const how = { timezone: zone, granularity: view.granularity, ...domain };
  if (view.span === null) return { start_date: view.from!, end_date: view.to!, ...how };
  if (view.span === "24h") {
    const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
    return { start_date: new Date(hour - 23 * HOUR_MS).toISOString(), ...how };
  }
  const back = (SPANS[view.span].days - 1) * DAY_MS;
  return { start_date: dayIn(localDay(now.getTime() - back, zone))!, ...how };
}

/** The day that clocks of the zone show, `YYYY-MM-DD`. */
export const localDay = (instant: number, zone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(instant);

/** The reader's zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const isSpan = (text: string | null): text is Span => text !== null && Object.hasOwn(SPANS, text);

const dayIn = (text: string | null): string | null =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;

const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

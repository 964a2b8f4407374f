/** A moment in a request. Local times are the UTC instants with the same clock reading, in milliseconds. */
export type MomentInput =
  | { kind: "date"; local: number }
  | { kind: "local"; local: number }
  | { kind: "instant"; instant: number };

const MOMENT =
  /^([12]\d{3}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i;

/**
 * Parses an ISO 8601 date, local date and time, or instant (with `Z` or an offset). Truncates to
 * milliseconds. Null for anything else, including impossible dates.
 */
export function parseMoment(text: string): MomentInput | null {
  const [, date, time, seconds = ":00", offset] = MOMENT.exec(text) ?? [];
  if (date === undefined || !isDay(date)) return null;
  if (time === undefined) return { kind: "date", local: Date.parse(`${date}T00:00Z`) };
  const local = Date.parse(`${date}T${time}${seconds.slice(0, ":00.000".length)}Z`);
  return offset === undefined
    ? { kind: "local", local }
    : { kind: "instant", instant: local - offsetMs(offset) };
}

/** Date.parse rolls February 30 over to March. */
function isDay(date: string): boolean {
  const parsed = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date);
}

function offsetMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? [];
  return Number(`${sign ?? "+"}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

const PLACE = /^(?:[a-z]{4,}|(?!SystemV\/)[a-z]+\/[a-z0-9_/+-]+)$/i;

/**
 * Returns the IANA time zone with this name, in its canonical case; null if there is none.
 *
 * Abbreviations (EST, CET, GMT) and offsets are rejected although the database lists some. A link keeps its
 * own name, because which of two linked names is primary has changed over time (Asia/Calcutta, Asia/Kolkata).
 */
export function findTimeZone(name: string): string | null {
  if (name.toUpperCase() === "UTC") return "UTC";
  const known = PLACE.test(name) ? zoneKnownAs(name) : null;
  return known?.toLowerCase() === name.toLowerCase() ? known : known && name;
}

function zoneKnownAs(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

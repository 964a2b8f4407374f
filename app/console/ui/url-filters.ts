import { useSearchParams } from "next/navigation";

/** The longest text that the server searches for. */
const TEXT_MAX = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Reads a filter from its text in the URL; undefined if invalid. */
type Parse<Value> = (text: string) => Value | undefined;
export type Parsers = Record<string, Parse<unknown>>;
export type Filters<P extends Parsers> = { [Name in keyof P]?: NonNullable<ReturnType<P[Name]>> };

export const anyText = (text: string): string => text.slice(0, TEXT_MAX);
export const uuid: Parse<string> = (text) => (UUID.test(text) ? text : undefined);

/** A date such as 2026-03-04. */
export const day: Parse<string> = (text) =>
  DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

export function timestamp(text: string): string | undefined {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** @param values the names with their labels */
export const oneOf =
  <Name extends string>(values: Record<Name, unknown>): Parse<Name> =>
  (text) =>
    (Object.keys(values) as Name[]).find((name) => name === text);

/** The filters in a URL, without surrounding spaces. Ignores empty and invalid ones. */
export function parseFilters<P extends Parsers>(search: URLSearchParams, parsers: P): Filters<P> {
  const entries = Object.entries(parsers).flatMap(([name, parse]) => {
    const text = search.get(name)?.trim();
    const value = text ? parse(text) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as Filters<P>;
}

export const useUrlFilters = <P extends Parsers>(parsers: P): Filters<P> =>
  parseFilters(useSearchParams(), parsers);

/** From the start of one `day` to the end of another, in the reader's time zone. */
export const dayRange = ({ from, to }: { from?: string; to?: string }) => ({
  ...(from && { from: startOfDay(from) }),
  ...(to && { to: startOfDay(to, 1) }),
});

function startOfDay(day: string, later = 0): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

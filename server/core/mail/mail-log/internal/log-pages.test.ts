import { expect, test } from "vitest";

import { type LogPage, type LogPosition, type LogReader, mergeNewest } from "./log-pages.ts";

type Entry = LogPosition & { fits: boolean };

/** Entries by their minute past ten, newest first; negative ones don't match the filter. */
const entries = (...minutes: number[]): Entry[] =>
  minutes.map((minute) => ({
    at: `2026-01-01T10:${String(Math.abs(minute)).padStart(2, "0")}:00.000000Z`,
    id: String(Math.abs(minute)),
    fits: minute > 0,
  }));

function sourceOf(all: Entry[]): LogReader<Entry> {
  const indexOf = (place: LogPosition | null) =>
    place === null ? -1 : all.findIndex(({ id }) => id === place.id);
  return {
    behind(from, count) {
      const entry = all[indexOf(from) + count];
      return Promise.resolve(entry ? { at: entry.at, id: entry.id } : null);
    },
    read: ({ from, upTo, limit }) => {
      const end = upTo === null ? all.length : indexOf(upTo) + 1;
      const range = all.slice(indexOf(from) + 1, end);
      return Promise.resolve(range.filter(({ fits }) => fits).slice(0, limit));
    },
  };
}

const bounds = { step: 2, stepsMax: 2 };

async function allPages(sources: Record<string, LogReader<Entry>>, limit: number) {
  const pages: LogPage<Entry>[] = [];
  let before: string | null = null;
  do {
    const page: LogPage<Entry> = await mergeNewest(sources, { limit, before }, bounds);
    pages.push(page);
    before = page.next;
  } while (before !== null && pages.length < 50);
  return pages.map(({ rows, isCutShort }) => [rows.map(({ id }) => Number(id)), isCutShort]);
}

test("merges pages of two sources without duplicates", async () => {
  const sources = {
    one: sourceOf(entries(50, 40, 30, 20, 10)),
    other: sourceOf(entries(45, 44, 31)),
  };
  expect(await allPages(sources, 3)).toEqual([
    [[50, 45, 44], false],
    [[40, 31, 30], false],
    [[20, 10], false],
  ]);
});

test("doesn't skip entries of a source that wasn't searched that far", async () => {
  const sources = {
    rare: sourceOf(entries(59, -58, -57, -56, -55, 54, -53, -52)),
    often: sourceOf(entries(58, 57, 53, 51, 50)),
  };
  expect(await allPages(sources, 10)).toEqual([
    [[59, 58, 57], true],
    [[54, 53], true],
    [[51, 50], false],
  ]);
});

test("tolerates entries slightly out of order", async () => {
  const [a, b, c, d, e, f] = entries(50, -49, 47, -48, -46, 45) as [
    ...[Entry, Entry, Entry, Entry, Entry, Entry],
  ];
  expect(await allPages({ one: sourceOf([a, b, c, d, e, f]) }, 10)).toEqual([
    [[50, 47], true],
    [[45], false],
  ]);
});

test("ends the search when nothing matches", async () => {
  const sources = { one: sourceOf(entries(-9, -8, -7, -6, -5, -4)) };
  expect(await allPages(sources, 10)).toEqual([
    [[], true],
    [[], false],
  ]);
});

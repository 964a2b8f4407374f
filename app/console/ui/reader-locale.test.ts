import { afterEach, expect, test, vi } from "vitest";

import { localeIn } from "./reader-locale.ts";

afterEach(() => vi.unstubAllEnvs());

const moment = new Date("2026-02-20T14:05:00Z");

const format = (language: string, reader: string) =>
  new Intl.DateTimeFormat(localeIn(language, reader), {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  })
    .format(moment)
    .replaceAll("\u202f", " ");

test.each([
  ["en-US", "Feb 20, 2026, 2:05 PM"],
  ["en-GB", "20 Feb 2026, 14:05"],
  ["de-DE", "20 Feb 2026, 14:05"],
  ["fr", "20 Feb 2026, 14:05"],
  ["ja-JP", "Feb 20, 2026, 14:05"],
  ["pt-BR", "Feb 20, 2026, 14:05"],
])("formats a date in English for a reader with %s", (reader, text) => {
  expect(format("en", reader)).toBe(text);
});

test.each([
  ["de-DE", "20.02.2026, 14:05"],
  ["de-CH", "20.02.2026, 14:05"],
  // Chose German in an English browser.
  ["en-US", "20.02.2026, 14:05"],
])("formats a date in German for a reader with %s", (reader, text) => {
  expect(format("de", reader)).toBe(text);
});

test.each([
  ["Pacific/Kiritimati", "21"],
  ["Pacific/Honolulu", "20"],
])("the day of a moment is the one in %s", async (zone, day) => {
  vi.stubEnv("TZ", zone);
  vi.resetModules();
  const { formatLocalDay } = await import("./format.ts");
  expect(formatLocalDay(moment)).toMatch(
    new RegExp(`^(February ${day}, 2026|${day} February 2026)$`),
  );
});

test.each(["Pacific/Kiritimati", "Pacific/Honolulu"])(
  "a calendar date is the same in %s",
  async (zone) => {
    vi.stubEnv("TZ", zone);
    vi.resetModules();
    const { formatDay } = await import("./format.ts");
    expect(formatDay("2026-12-24")).toMatch(/December 24, 2026|24 December 2026/);
  },
);

import { expect, test } from "vitest";

import { toMetricsQuery, granularitiesFor, parseView } from "./period.ts";

const NOW = new Date("2026-03-10T22:40:00Z");
const view = (search: string) => parseView(new URLSearchParams(search));
const query = (search: string, zone = "UTC") => toMetricsQuery(view(search), zone, NOW);

test("defaults to the last 30 days by day", () => {
  expect(view("")).toEqual({
    span: "30d",
    from: null,
    to: null,
    granularity: "daily",
    domainId: null,
  });
  expect(query("")).toEqual({
    startDate: "2026-02-09",
    timezone: "UTC",
    granularity: "daily",
  });
});

test("dates are in the reader's time zone", () => {
  expect(query("period=7d", "Asia/Tokyo").startDate).toBe("2026-03-05");
});

test("the 24-hour span starts at a full hour", () => {
  expect(query("period=24h")).toMatchObject({
    startDate: "2026-03-09T23:00:00.000Z",
    granularity: "hourly",
  });
});

test("a date range takes precedence over a span, and a single day is shown by the hour", () => {
  expect(query("from=2026-03-01&to=2026-03-01&period=7d&domain=d1")).toEqual({
    startDate: "2026-03-01",
    endDate: "2026-03-01",
    timezone: "UTC",
    granularity: "hourly",
    domainId: "d1",
  });
});

test.each([
  ["from=2026-03-02&to=2026-03-01"],
  ["from=2026-03-02"],
  ["from=soon&to=2026-03-01"],
  ["period=forever"],
  ["granularity=hourly&period=90d&x=1"],
])("ignores invalid parameters: %s", (search) => {
  expect(view(search).granularity).toBe("daily");
  expect(view(search).from).toBeNull();
});

test.each([
  [1, ["hourly"]],
  [7, ["hourly", "daily"]],
  [30, ["hourly", "daily", "weekly"]],
  [90, ["daily", "weekly", "monthly"]],
])("%i days allow the granularities %j", (days, all) =>
  expect(granularitiesFor(days)).toEqual(all),
);

import { expect, test } from "vitest";

import { askedFor, granularitiesOf, viewOf } from "./period.ts";

const NOW = new Date("2026-03-10T22:40:00Z");
const view = (search: string) => viewOf(new URLSearchParams(search));
const asked = (search: string, zone = "UTC") => askedFor(view(search), NOW, zone);

test("without a word in the URL it is the last 30 days by day", () => {
  expect(view("")).toEqual({
    ...{ span: "30d", from: null, to: null, granularity: "daily", domainId: null },
  });
  expect(asked("")).toEqual({
    ...{ start_date: "2026-02-09", timezone: "UTC", granularity: "daily" },
  });
});

test("days are those of the reader: in Tokyo it is tomorrow already", () => {
  expect(asked("period=7d", "Asia/Tokyo").start_date).toBe("2026-03-05");
});

test("24 hours are whole hours", () => {
  expect(asked("period=24h")).toMatchObject({
    ...{ start_date: "2026-03-09T23:00:00.000Z", granularity: "hourly" },
  });
});

test("days of one's own go before a span, and one day is shown by the hour", () => {
  expect(asked("from=2026-03-01&to=2026-03-01&period=7d&domain=d1")).toEqual({
    ...{ start_date: "2026-03-01", end_date: "2026-03-01", timezone: "UTC" },
    ...{ granularity: "hourly", domain_id: "d1" },
  });
});

test.each([
  ["from=2026-03-02&to=2026-03-01"],
  ["from=2026-03-02"],
  ["from=soon&to=2026-03-01"],
  ["period=forever"],
  ["granularity=hourly&period=90d&x=1"],
])("what makes no sense counts as not said: %s", (search) => {
  expect(view(search).granularity).toBe("daily");
  expect(view(search).from).toBeNull();
});

test.each([
  [1, ["hourly"]],
  [7, ["hourly", "daily"]],
  [30, ["hourly", "daily", "weekly"]],
  [90, ["daily", "weekly", "monthly"]],
])("%i days can be cut into %j", (days, all) => expect(granularitiesOf(days)).toEqual(all));

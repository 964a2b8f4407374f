import { expect, test } from "vitest";

import { jobs } from "#server/jobs/catalogue.ts";

import { crontab } from "./crontab.ts";

test("the crontab contains every job that needs no payload", () => {
  const periodic = Object.entries(jobs)
    .filter(([, { payload }]) => payload.safeParse({}).success)
    .map(([name]) => name);
  expect([...new Set(crontab.map(({ task }) => task))].sort()).toEqual(periodic.sort());
});

test("a retention run replaces the retry of a failed one", () => {
  const runs = crontab.filter(({ task }) => task === "apply_retention");
  expect(runs.map(({ payload, options }) => [payload, options.jobKey])).toEqual([
    [{ every: "night" }, "apply_retention:night"],
    [{ every: "hour" }, "apply_retention:hour"],
  ]);
});

import { expect, test } from "vitest";

import { type JobName, jobs } from "#server/jobs/catalogue.ts";

import { crontab } from "./crontab.ts";

test("the crontab contains every job that needs no payload, and retention, with valid payloads", () => {
  const periodic = Object.entries(jobs)
    .filter(([, { payload }]) => payload.safeParse({}).success)
    .map(([name]) => name);
  const tasks = new Set(crontab.map(({ task }) => task));
  expect([...tasks].sort()).toEqual([...periodic, "apply_retention"].sort());
  for (const { task, payload } of crontab)
    expect(jobs[task as JobName].payload.safeParse(payload ?? {}).success).toBe(true);
});

test("a retention run replaces the retry of a failed one", () => {
  const runs = crontab.filter(({ task }) => task === "apply_retention");
  expect(runs.map(({ payload, options }) => [payload, options.jobKey])).toEqual([
    [{ every: "night" }, "apply_retention:night"],
    [{ every: "hour" }, "apply_retention:hour"],
  ]);
});

import { expect, test } from "vitest";

import { jobs } from "#server/jobs/catalogue.ts";

import { crontab } from "./crontab.ts";

test("the crontab contains every job that needs no payload", () => {
  const periodic = Object.entries(jobs)
    .filter(([, { payload }]) => payload.safeParse({}).success)
    .map(([name]) => name);
  expect([...new Set(crontab.map(({ task }) => task))].sort()).toEqual(periodic.sort());
});

import { expect, test } from "vitest";
import { z } from "zod";

import { jobs } from "#server/jobs/catalogue.ts";

import { crontab } from "./crontab.ts";

const isEmpty = (payload: z.ZodObject) => Object.keys(payload.shape).length === 0;

test("the crontab contains every job without a payload that nothing else starts", () => {
  const cleanUps = Object.entries(jobs)
    .filter(([, { payload }]) => payload instanceof z.ZodObject && isEmpty(payload))
    .map(([name]) => name);
  expect(crontab.map(({ task }) => task).sort()).toEqual(cleanUps.sort());
});

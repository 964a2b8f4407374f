import { pino } from "pino";
import { expect, test } from "vitest";

import { bestEffort } from "./best-effort.ts";

const logger = pino({ level: "silent" });

test("returns the result of the work, and null if it throws or rejects", async () => {
  expect(await bestEffort("test", () => Promise.resolve(1), logger)).toBe(1);
  expect(await bestEffort("test", () => Promise.reject(new Error("later")), logger)).toBeNull();
  const now = () => {
    throw new Error("now");
  };
  expect(await bestEffort("test", now, logger)).toBeNull();
});

test("skips work while a hundred calls are pending, and resumes when they end", async () => {
  let finish = () => {};
  const finished = new Promise<string>((resolve) => (finish = () => resolve("done")));
  const hundred = Array.from({ length: 100 }, () => bestEffort("test", () => finished, logger));
  let begun = false;
  const work = () => {
    begun = true;
    return Promise.resolve("begun");
  };

  expect(await bestEffort("test", work, logger)).toBeNull();
  expect(begun).toBe(false);

  finish();
  expect(new Set(await Promise.all(hundred))).toEqual(new Set(["done"]));
  expect(await bestEffort("test", work, logger)).toBe("begun");
});

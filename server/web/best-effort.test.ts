import { pino } from "pino";
import { expect, test } from "vitest";

import { bestEffort } from "./best-effort.ts";

const logger = pino({ level: "silent" });

test("gives what the work gives, and null for work that fails, now or later", async () => {
  expect(await bestEffort(() => Promise.resolve(1), logger)).toBe(1);
  expect(await bestEffort(() => Promise.reject(new Error("later")), logger)).toBeNull();
  const now = () => {
    throw new Error("now");
  };
  expect(await bestEffort(now, logger)).toBeNull();
});

test("begins nothing more while a hundred do not come to an end, and goes on when they do", async () => {
  let finish = () => {};
  const finished = new Promise<string>((resolve) => (finish = () => resolve("done")));
  const hundred = Array.from({ length: 100 }, () => bestEffort(() => finished, logger));
  let begun = false;
  const work = () => {
    begun = true;
    return Promise.resolve("begun");
  };

  expect(await bestEffort(work, logger)).toBeNull();
  expect(begun).toBe(false);

  finish();
  expect(new Set(await Promise.all(hundred))).toEqual(new Set(["done"]));
  expect(await bestEffort(work, logger)).toBe("begun");
});

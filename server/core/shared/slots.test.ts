import { expect, test } from "vitest";

import { Slots } from "./slots.ts";

const never = () => new AbortController().signal;

test("runs `max` at once for each key, and the rest in order", async () => {
  const slots = new Slots();
  const running: string[] = [];
  const ends: (() => void)[] = [];
  const run = async (name: string, key: string) => {
    ends.push((await slots.acquire(key, { max: 2, signal: never }))!);
    running.push(name);
  };
  const [first, ...others] = ["a", "b", "c", "d"].map((name) => run(name, "one"));
  const other = run("other", "two");
  await Promise.all([first, other]);
  expect(running).toEqual(["a", "b", "other"]);
  for (const end of ends) end();
  await Promise.all(others);
  expect(running).toEqual(["a", "b", "other", "c", "d"]);
});

test("a signal gives up a place in the line, and only so many wait", async () => {
  const slots = new Slots();
  const acquire = (signal = never) => slots.acquire("key", { max: 1, waitingMax: 1, signal });
  const end = (await acquire())!;
  const impatience = new AbortController();
  const left = acquire(() => impatience.signal);
  expect(await acquire()).toBe(null);
  impatience.abort();
  expect(await left).toBe(null);
  const next = acquire();
  end();
  expect(await next).toBeTypeOf("function");
});

import { expect, test, vi } from "vitest";

import { gathering } from "./gathering.ts";
import { db } from "./pool.ts";

test("lookups made while a statement runs go into the next one, each key once", async () => {
  const asked: string[][] = [];
  const gates = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  const find = gathering<number>(async (_, keys) => {
    asked.push(keys);
    await gates[asked.length - 1]!.promise;
    return new Map(keys.map((key) => [key, asked.length]));
  });
  const first = find(db(), "a");
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  const later = [find(db(), "a"), find(db(), "b"), find(db(), "a")];
  gates[0]!.resolve(null);
  expect(await first).toBe(1);
  gates[1]!.resolve(null);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  expect(asked).toEqual([["a"], ["a", "b"]]);
});

test("missing keys are undefined, and a failure rejects only the lookups of its batch", async () => {
  let fails = true;
  const find = gathering<number>(async () => {
    await Promise.resolve();
    if (fails) throw new Error("away");
    return new Map();
  });
  await expect(find(db(), "a")).rejects.toThrow("away");
  fails = false;
  expect(await find(db(), "a")).toBeUndefined();
});

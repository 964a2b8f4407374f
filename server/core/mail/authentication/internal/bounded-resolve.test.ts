import { expect, test } from "vitest";

import { boundedResolve } from "./bounded-resolve.ts";

test("looks up each name once, up to the limit", async () => {
  const asked: string[] = [];
  const resolver = {
    resolve: (name: string) => {
      asked.push(name);
      return Promise.resolve([name]);
    },
  };
  const resolve = boundedResolve(resolver, { lookupsMax: 2 });
  expect(await resolve("a.test", "TXT")).toEqual(["a.test"]);
  expect(await resolve("A.test", "TXT")).toEqual(["a.test"]);
  await resolve("b.test", "TXT");
  await expect(resolve("c.test", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
  await resolve("a.test", "TXT");
  expect(asked).toEqual(["a.test", "b.test"]);
});

test("times out, and treats invalid names as nonexistent", async () => {
  const silent = boundedResolve({ resolve: () => new Promise(() => {}) }, { patienceMs: 20 });
  await expect(silent("a.test", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
  const bad = Object.assign(new Error("bad"), { code: "EBADNAME" });
  const odd = boundedResolve({ resolve: () => Promise.reject(bad) });
  await expect(odd("a..test", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

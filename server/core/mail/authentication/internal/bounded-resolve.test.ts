import { expect, test } from "vitest";

import { boundedResolve } from "./bounded-resolve.ts";
import { checkSpf } from "./check-spf.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });

test("looks up each name once, up to the limit", async () => {
  const asked: string[] = [];
  const resolver = {
    resolve: (name: string) => {
      asked.push(name);
      return Promise.resolve([[name]]);
    },
  };
  const resolve = boundedResolve(resolver, { lookupsMax: 2 });
  expect(await resolve("a.test", "TXT")).toEqual([["a.test"]]);
  expect(await resolve("A.test", "TXT")).toEqual([["a.test"]]);
  await resolve("b.test", "TXT");
  await expect(resolve("c.test", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
  await resolve("a.test", "TXT");
  expect(asked).toEqual(["a.test", "b.test"]);
});

test("times out, and treats invalid names as nonexistent", async () => {
  const silent = boundedResolve({ resolve: () => new Promise(() => {}) }, { patienceMs: 20 });
  await expect(silent("a.test", "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
  const odd = boundedResolve({ resolve: () => Promise.reject(failure("EBADNAME")) });
  await expect(odd("a..test", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test.each([
  ["v=spf1 include:mute.test -all", "temperror"],
  ["v=spf1 redirect=mute.test", "temperror"],
  ["v=spf1 a:mute.test -all", "temperror"],
  ["v=spf1 include:gone.test -all", "permerror"],
  ["v=spf1 redirect=SPF.Good.TEST", "pass"],
  ["v=spf1 redirect=%{D}.Good.TEST", "pass"],
])("SPF record %j is %s if the lookup of mute.test fails", async (record, result) => {
  const records = new Map([
    ["split.test", record],
    ["spf.good.test", "v=spf1 ip4:192.0.2.1 -all"],
    ["split.test.good.test", "v=spf1 ip4:192.0.2.1 -all"],
  ]);
  const resolve = boundedResolve({
    resolve: (name: string, type: string) => {
      const text = type === "TXT" ? records.get(name.toLowerCase()) : undefined;
      if (text !== undefined) return Promise.resolve([[text.slice(0, 9), text.slice(9)]]);
      return Promise.reject(failure(name === "mute.test" ? "ESERVFAIL" : "ENOTFOUND"));
    },
  });
  const origin = { sender: "ann@split.test", helo: "mx.split.test", clientAddress: "192.0.2.1" };
  expect((await checkSpf(origin, { resolve, hostname: "mail.here.test" })).result).toBe(result);
});

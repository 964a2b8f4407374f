import { expect, test } from "vitest";

import { boundedResolve, cachingResolver } from "./caching-resolver.ts";
import { checkSpf } from "./verify-message.ts";

const failure = (code: string) => Object.assign(new Error(code), { code });

test("caches answers and negative answers for five seconds, but not failures", async () => {
  const asked: string[] = [];
  let time = 0;
  const { resolve } = cachingResolver(
    {
      resolve: (name, rrtype) => {
        asked.push(`${rrtype} ${name}`);
        if (name === "gone.test") return Promise.reject(failure("ENOTFOUND"));
        if (name === "silent.test") return Promise.reject(failure("ETIMEOUT"));
        return Promise.resolve(["x"]);
      },
    },
    () => time,
  );
  const ask = () =>
    Promise.all([
      resolve("a.test", "TXT"),
      resolve("A.test", "TXT"),
      resolve("a.test", "MX"),
      expect(resolve("gone.test", "TXT")).rejects.toThrow("ENOTFOUND"),
      expect(resolve("silent.test", "TXT")).rejects.toThrow("ETIMEOUT"),
    ]);
  await ask();
  expect(asked.splice(0)).toEqual(["TXT a.test", "MX a.test", "TXT gone.test", "TXT silent.test"]);
  time = 4_999;
  await ask();
  expect(asked.splice(0)).toEqual(["TXT silent.test"]);
  time = 5_001;
  await ask();
  expect(asked).toHaveLength(4);
});

test("doesn't keep large answers", async () => {
  let asked = 0;
  const { resolve } = cachingResolver({
    resolve: (name) => {
      asked++;
      return Promise.resolve([[name.repeat(2_000)]]);
    },
  });
  const ask = (name: string) => resolve(name, "TXT");
  await Promise.all([ask("large.test"), ask("large.test")]);
  expect(asked).toBe(1);
  await ask("large.test");
  expect(asked).toBe(2);
  for (let i = 0; i < 2; i++) await ask("s.test");
  expect(asked).toBe(3);
});

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

const RECORDS: Record<string, string | string[]> = {
  "TXT spf.good.test": "v=spf1 ip4:192.0.2.1 -all",
  "TXT split.test.good.test": "v=spf1 ip4:192.0.2.1 -all",
  // Macros in a record that another one includes or redirects to.
  "TXT _spf.vendor.test": "v=spf1 include:%{ir}.%{v}.%{d}.gate.test -all",
  "TXT 1.2.0.192.in-addr._spf.vendor.test.gate.test": "v=spf1 ip4:192.0.2.1 -all",
  "TXT moved.test": "v=spf1 exists:%{i}._ip.%{d}.gate.test -all",
  "A 192.0.2.1._ip.moved.test.gate.test": ["127.0.0.2"],
  "A 192.0.2.1._ip.us_er.test.gate.test": ["127.0.0.2"],
};

test.each([
  ["v=spf1 include:mute.test -all", "temperror"],
  ["v=spf1 redirect=mute.test", "temperror"],
  ["v=spf1 a:mute.test -all", "temperror"],
  ["v=spf1 include:gone.test -all", "permerror"],
  ["v=spf1 redirect=SPF.Good.TEST", "pass"],
  ["v=spf1 redirect=%{D}.Good.TEST", "pass"],
  ["v=spf1 include:_spf.vendor.test -all", "pass"],
  ["v=spf1 redirect=moved.test", "pass"],
  ["v=spf1 ip4:192.0.2.1 -all", "pass", "us_er.test"],
  ["v=spf1 exists:%{i}._ip.%{d}.gate.test -all", "pass", "us_er.test"],
  ["v=spf1 exists:%{i}._ip.%{o}.gate.test -all", "pass", "us_er.test"],
  // Exchanges that are addresses, or names that can't be looked up, match nothing.
  ["v=spf1 mx ip4:192.0.2.1 -all", "pass", "split.test", ["192.0.2.1", "localhost", ""]],
  ["v=spf1 mx -all", "fail", "split.test", ["192.0.2.1"]],
  // Takes quadratic time.
  [`v=spf1 redirect=a.${"a".repeat(6_000)}! ip4:192.0.2.1 -all`, "none"],
])(
  "SPF record %.100j is %s if the lookup of mute.test fails",
  async (record, result, domain = "split.test", exchanges: string[] = []) => {
    const all = { ...RECORDS, [`TXT ${domain}`]: record };
    const resolve = boundedResolve({
      resolve: (asked: string, type: string) => {
        const name = asked.toLowerCase();
        const found = all[`${type} ${name}`];
        if (typeof found === "string")
          return Promise.resolve([[found.slice(0, 9), found.slice(9)]]);
        if (found) return Promise.resolve(found);
        if (type === "MX" && name === domain)
          return Promise.resolve(exchanges.map((exchange) => ({ exchange, priority: 10 })));
        return Promise.reject(failure(name === "mute.test" ? "ESERVFAIL" : "ENOTFOUND"));
      },
    });
    const origin = { sender: `ann@${domain}`, helo: "mx.split.test", clientAddress: "192.0.2.1" };
    expect((await checkSpf(origin, { resolve, hostname: "mail.here.test" })).result).toBe(result);
  },
);

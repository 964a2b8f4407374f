import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { SpfReading } from "#drizzle/schema/index.ts";
import { createResolver } from "#server/gateways/dns.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";

import { followSpf, isSpf, mergeSpf, readSpf } from "./spf.ts";

test.each([
  ["v=spf1 a mx ptr a:x.test mx:x.test/24 a/24//64 mx//64 -all", []],
  ["v=spf1 include:%{ir}.%{v}._spf.%{d2} exists:%{i}._spf.x.test ~all", []],
  ["v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ip6:::1 redirect=x.test exp=e.%{d} future=1", []],
  ["v=spf1 ip4:192.0.2.300 -all", ["ip4:192.0.2.300"]],
  [
    "v=spf1 ip4:192.0.2.0/33 ip6:192.0.2.1 ip4:2001:db8::1",
    ["ip4:192.0.2.0/33", "ip6:192.0.2.1", "ip4:2001:db8::1"],
  ],
  ["v=spf1 include: exists all:x redirect=", ["include:", "exists", "all:x", "redirect="]],
  ["v=spf1 incldue:x.test -all.", ["incldue:x.test", "-all."]],
  ['v=spf1 "a:x.test" -all', ['"a:x.test"']],
])("%s", (text, wrong) => {
  expect(
    readSpf(text)
      .filter(({ error }) => error)
      .map((term) => term.text),
  ).toEqual(wrong);
});

test("splits a term into its parts", () => {
  expect(readSpf("v=spf1  ~Include:X.test a/24 Redirect=y.test")).toMatchObject([
    { text: "~Include:X.test", qualifier: "~", name: "include", value: "X.test" },
    { text: "a/24", qualifier: "+", name: "a", value: "/24" },
    { text: "Redirect=y.test", qualifier: null, name: "redirect", value: "y.test" },
  ]);
});

const HOST = "mail.host.test";
const merge = (...texts: string[]) => mergeSpf({ texts, reading: null }, HOST);

const reading = (overrides: Partial<SpfReading>): SpfReading => ({
  authorizes: "no",
  error: null,
  lookups: 0,
  hostAddresses: ["192.0.2.1", "2001:db8::1"],
  ...overrides,
});

describe("The SPF record to publish", () => {
  test.each([
    ["none", [], `v=spf1 a:${HOST} ~all`],
    ["none among others", ["google-site-verification=x"], `v=spf1 a:${HOST} ~all`],
    ["an end", ["v=spf1 include:x.test -all"], `v=spf1 include:x.test a:${HOST} -all`],
    ["no end", ["v=spf1 mx"], `v=spf1 mx a:${HOST}`],
    ["nothing but an end", ["v=spf1 -all"], `v=spf1 a:${HOST} -all`],
    ["nothing at all", ["v=spf1"], `v=spf1 a:${HOST}`],
    ["a redirect", ["v=spf1 redirect=x.test"], `v=spf1 a:${HOST} redirect=x.test`],
    [
      "capitals and gaps",
      ["V=spf1  MX   -ALL exp=e.test"],
      `V=spf1  MX   a:${HOST} -ALL exp=e.test`,
    ],
    ["our host", [`v=spf1 a:${HOST} mx -all`], `v=spf1 a:${HOST} mx -all`],
    ["our host behind the end", [`v=spf1 -all a:${HOST}`], `v=spf1 a:${HOST} -all a:${HOST}`],
    ["a word against our host", [`v=spf1 ?a:${HOST} -all`], `v=spf1 a:${HOST} ?a:${HOST} -all`],
    [
      "our host behind a word against it",
      [`v=spf1 mx -a:${HOST} +a:${HOST} ~all`],
      `v=spf1 mx a:${HOST} -a:${HOST} +a:${HOST} ~all`,
    ],
    ["our host with its sign", [`v=spf1 +A:${HOST} ?all`], `v=spf1 +A:${HOST} ?all`],
    [
      "a name that ends like all",
      ["v=spf1 include:small all"],
      `v=spf1 include:small a:${HOST} all`,
    ],
  ])("if there is %s", (_, texts, expected) => {
    expect(merge(...texts)).toBe(expected);
  });

  test("merges several records, with everything that any of them allowed", () => {
    expect(merge("v=spf1 include:a.test -all", "v=spf1 include:b.test include:a.test ~all")).toBe(
      `v=spf1 include:a.test include:b.test a:${HOST} -all`,
    );
    expect(merge("v=spf1 mx ~all", "v=spf1 redirect=c.test")).toBe(
      `v=spf1 mx include:c.test a:${HOST} ~all`,
    );
  });

  test("is unchanged if it already allows this server", () => {
    const texts = ["v=spf1 mx -all"];
    expect(mergeSpf({ texts, reading: reading({ authorizes: "yes" }) }, HOST)).toBe(texts[0]);
  });

  test("lists the addresses if one more lookup would be too many", () => {
    const texts = ["v=spf1 include:x.test -all"];
    const at = (lookups: number) => mergeSpf({ texts, reading: reading({ lookups }) }, HOST);
    expect(at(9)).toBe(`v=spf1 include:x.test a:${HOST} -all`);
    expect(at(10)).toBe("v=spf1 include:x.test ip4:192.0.2.1 ip6:2001:db8::1 -all");
    expect(at(11)).toBe("v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 include:x.test -all");
  });

  const term = fc.constantFrom(
    "mx",
    "a",
    "include:x.test",
    "ip4:192.0.2.0/24",
    "-all",
    "?all",
    "redirect=y.test",
    "exp=z.test",
  );
  test("keeps the existing text exactly, and is stable once published", () => {
    fc.assert(
      fc.property(fc.array(term), fc.constantFrom(" ", "  "), (terms, gap) => {
        const existing = ["v=spf1", ...terms].join(gap);
        const merged = merge(existing);
        expect(isSpf(merged)).toBe(true);
        expect(merged.replace(new RegExp(`a:${HOST} |${gap}?a:${HOST}$| a:${HOST}$`), "")).toBe(
          existing,
        );
        expect(merge(merged)).toBe(merged);
      }),
    );
  });
});

let dns: FakeDns;

const chain = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `c${at}.test`,
      { TXT: [`v=spf1 include:c${at + 1}.test ~all`] },
    ]),
  );

beforeAll(async () => {
  dns = await aDnsServer({
    "ours.test": { TXT: ["v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 -all"] },
    "deep.test": { TXT: ["v=spf1 include:ours.test ?all"] },
    "dots.test": { TXT: ["v=spf1 a:mail.host.test./24//64 -all"] },
    "four.test": { TXT: ["v=spf1 ip4:192.0.2.0/24 -all"] },
    "mx.test": { MX: ["10 mail.host.test"] },
    "mail.host.test": { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] },
    "broken.test": "SERVFAIL",
    "loop.test": { TXT: ["v=spf1 include:loop.test -all"] },
    "two.test": { TXT: ["v=spf1 ip4:192.0.2.1 -all", "v=spf1 -all"] },
    ...chain(12),
    "c12.test": { TXT: ["v=spf1 -all"] },
  });
});

afterAll(() => dns.close());

function follow(text: string, hostAddresses = ["192.0.2.1", "2001:db8::1"]) {
  const resolver = createResolver({ dnsServers: [dns] }, { timeoutMs: 100, tries: 1 });
  return followSpf(text, {
    domain: "example.test",
    hostname: "mail.host.test",
    hostAddresses,
    resolve: (name, rrtype) => resolver.resolve(name, rrtype),
  });
}

describe("An SPF record allows this server", () => {
  test.each<[string, "yes" | "no" | "open", number]>([
    ["v=spf1 a:mail.host.test -all", "yes", 1],
    ["v=spf1 A:Mail.Host.Test ~all", "yes", 1],
    ["v=spf1 a:other.test. a:mail.host.test. -all", "yes", 2],
    ["v=spf1 include:dots.test. -all", "yes", 2],
    ["v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all", "yes", 0],
    ["v=spf1 include:deep.test -all", "yes", 2],
    ["v=spf1 redirect=ours.test", "yes", 1],
    ["v=spf1 mx:mx.test -all", "yes", 1],
    ["v=spf1 +all", "yes", 0],
    // The other address fails.
    ["v=spf1 ip4:192.0.2.1 -all", "no", 0],
    ["v=spf1 include:four.test -all", "no", 1],
    ["v=spf1 -all a:mail.host.test", "no", 0],
    ["v=spf1 ?a:mail.host.test -all", "no", 1],
    ["v=spf1 ~all", "no", 0],
    ["v=spf1 include:broken.test -all", "open", 1],
    ["v=spf1 a:mail.host.test include:broken.test -all", "yes", 2],
    ["v=spf1 include:loop.test -all", "no", 51],
    ["v=spf1 include:two.test -all", "no", 1],
    ["v=spf1 include:c0.test a:mail.host.test -all", "no", 14],
    ["v=spf1 a:mail.host.test include:c0.test -all", "yes", 14],
    ["v=spf1 a:n1.test a:n2.test a:n3.test a:mail.host.test -all", "no", 4],
    ["v=spf1 a:n1.test a:n2.test a:mail.host.test -all", "yes", 3],
  ])("%s: %s, %i lookups", async (text, authorizes, lookups) => {
    expect(await follow(text)).toMatchObject({ authorizes, lookups });
  });

  test("not if one term is invalid", async () => {
    expect(await follow("v=spf1 a:mail.host.test ip4:1.2.3 -all")).toMatchObject({
      authorizes: "no",
      error: "ip4:1.2.3 is not an IPv4 address or range",
    });
  });

  test("reports why receivers fail with an error", async () => {
    expect((await follow("v=spf1 include:c0.test -all")).error).toBe("needs more than 10 lookups");
    expect((await follow("v=spf1 a:n1.test a:n2.test a:n3.test ~all")).error).toMatch(/void/);
  });

  test("by its hostname if DNS doesn't know its addresses", async () => {
    expect(await follow("v=spf1 a:mail.host.test -all", [])).toMatchObject({ authorizes: "yes" });
    expect(await follow("v=spf1 ip4:192.0.2.1 -all", [])).toMatchObject({ authorizes: "no" });
  });
});

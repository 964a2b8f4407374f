import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { SpfReading } from "#drizzle/schema/index.ts";

import { mergeSpf } from "./merge-spf.ts";
import { isSpf } from "./read-spf.ts";

const HOST = "mail.host.test";
const merge = (...texts: string[]) => mergeSpf({ texts, reading: null }, HOST);

const reading = (overrides: Partial<SpfReading>): SpfReading => ({
  ...{ authorizes: "no", error: null, lookups: 0, hostAddresses: ["192.0.2.1", "2001:db8::1"] },
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

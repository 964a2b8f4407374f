import { expect, test } from "vitest";

import { readSpf } from "./read-spf.ts";

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

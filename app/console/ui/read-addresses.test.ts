import { expect, test } from "vitest";

import { splitTypedAddresses } from "./read-addresses.ts";

test.each<[string, string[]]>([
  ["ann@a.example", ["ann@a.example"]],
  [
    "ann@a.example, ben@b.example;\n cy@c.example,",
    ["ann@a.example", "ben@b.example", "cy@c.example"],
  ],
  [`"Lee, Ann" <ann@a.example>, b@b.example`, [`"Lee, Ann" <ann@a.example>`, "b@b.example"]],
  [`"A \\" , B" <a@a.example>`, [`"A \\" , B" <a@a.example>`]],
  [" ", []],
])("splits %s into %o", (text, addresses) => {
  expect(splitTypedAddresses(text)).toEqual(addresses);
});

import { expect, test } from "vitest";

import { parseAddresses } from "./addresses.tsx";

test.each([
  ["", []],
  ["ann@example.com", ["ann@example.com"]],
  ["Ann@Example.com\nbob@example.com\n\n", ["ann@example.com", "bob@example.com"]],
  ["ann@example.com, bob@example.com; ann@example.com", ["ann@example.com", "bob@example.com"]],
  ["Ann Lee <ann@example.com>, bob@example.com", ["ann@example.com", "bob@example.com"]],
  ["ann@example.com bob@example.com", ["ann@example.com", "bob@example.com"]],
])("%j parses to %j", (text, addresses) => {
  expect(parseAddresses(text)).toEqual(addresses);
});

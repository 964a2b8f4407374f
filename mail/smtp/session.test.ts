import { expect, test } from "vitest";

import { TIMEOUTS } from "./session.ts";

const MINUTE_MS = 60_000;

test.each([
  ["greetingMs", 5],
  ["commandMs", 5],
  ["mailMs", 5],
  ["rcptMs", 5],
  ["dataMs", 2],
  ["blockMs", 3],
  // A client that times out earlier resends a message that the server has already accepted.
  ["acceptMs", 10],
] as const)("%s is at least what RFC 5321, 4.5.3.2 requires: %d minutes", (step, minutes) => {
  expect(TIMEOUTS[step]).toBeGreaterThanOrEqual(minutes * MINUTE_MS);
});

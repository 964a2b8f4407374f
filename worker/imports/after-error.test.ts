import { expect, test } from "vitest";

import { ImapSourceError } from "#server/gateways/imap-source.ts";

import { afterError } from "./after-error.ts";

const HOUR_MS = 60 * 60 * 1_000;

test.each([
  [0, null, HOUR_MS / 60],
  [0, 2 * HOUR_MS, 2 * HOUR_MS],
  [9, null, HOUR_MS],
  [0, 1e300, 24 * HOUR_MS],
])("after %i failures, a server that asks for %s ms gets %i ms", (failures, asked, delayMs) => {
  const error = new ImapSourceError("throttled", "Slow down", asked);
  expect(afterError(error, failures)).toEqual({ problem: "Slow down", delayMs });
});

import { expect, test } from "vitest";

import { repeatHorizon } from "./repeat-horizon.ts";

test.each([
  [["Message-ID: <1@there.test>"], 5 * 86_400_000],
  [["DATE: Fri, 27 Nov 2026 03:00:00 +0000"], 5 * 86_400_000],
  [["Subject: Motion detected"], 600_000],
])("a message with %s may be repeated for %i ms", (fields, horizon) => {
  const message = ["From: cam@there.test", ...fields, "", "Date: today", ""].join("\r\n");
  expect(repeatHorizon(Buffer.from(message))).toBe(horizon);
});

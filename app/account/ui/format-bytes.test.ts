import { expect, test } from "vitest";

import { formatBytes } from "./format-bytes.ts";

test.each([
  [0, "0 bytes"],
  [1023, "1,023 bytes"],
  [1024, "1 kB"],
  [13_000_000, "12.4 MB"],
  [268_435_456, "256 MB"],
  [5 * 1024 ** 4, "5 TB"],
])("%i bytes are %s", (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

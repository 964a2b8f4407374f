import { expect, test, vi } from "vitest";

import {
  formatDuration,
  formatLatency,
  formatMegabytes,
  pluralize,
  formatBytes,
  formatRate,
  formatRateTick,
  describeCountChange,
  describeRateChange,
  formatCompactCount,
  ratio,
  toSentence,
  typographic,
} from "./format.ts";

test.each([
  [0, "0%"],
  [1, "100%"],
  [0.9724, "97.2%"],
  [0.1, "10.0%"],
  [0.94, "94.0%"],
  [0.019, "1.90%"],
  [0.0008, "0.08%"],
  [0.0096, "0.96%"],
  [0.0199, "1.99%"],
])("formats the rate %d as %s", (rate, text) => expect(formatRate(rate)).toBe(text));

test.each([
  [0, 0, null],
  [5, 0, "previously 0"],
  [1000, 1000, "unchanged"],
  [150, 100, "up 50% from 100"],
  [0, 2, "previously 2"],
  [18, 9, "previously 9"],
  [9, 9, "unchanged"],
  [3, 1200, "down 100% from 1,200"],
])("describes %d after %d as %j", (now, before, text) =>
  expect(describeCountChange(now, before)).toBe(text),
);

test.each([
  [null, 0.5, null],
  [0.5, 0.5, "unchanged"],
  [0.985, 0.97, "up 1.5 points from 97.0%"],
  [0.001, 0.0015, "down 0.05 points from 0.15%"],
])("describes the rate %j after %j as %j", (now, before, text) => {
  expect(describeRateChange(now, before)).toBe(text);
});

test("a ratio to zero is null, and never over 1", () => {
  expect([ratio(0, 0), ratio(3, 2), ratio(1, 4)]).toEqual([null, 1, 0.25]);
});

test("abbreviates millions on an axis", () => expect(formatCompactCount(1_250_000)).toBe("1.3M"));

test("formats rate ticks without trailing zeros", () => {
  expect([0, 0.005, 0.02, 0.5, 1].map(formatRateTick)).toEqual(["0%", "0.5%", "2%", "50%", "100%"]);
});

test.each([
  [0, "0 bytes"],
  [1023, "1,023 bytes"],
  [1024, "1 KB"],
  [1_300_000, "1.2 MB"],
  [500 * 1024 ** 2, "500 MB"],
  [53_687_091_200, "50 GB"],
  [5 * 1024 ** 4, "5 TB"],
])("formats %i bytes as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("formats numbers with the separators of the reader's region", async () => {
  vi.resetModules();
  vi.doMock("./reader-locale.ts", () => ({ readerLocale: "en-DE" }));
  const german = await import("./format.ts");
  expect(german.formatCount(12_345)).toBe("12.345");
  expect(german.formatRate(0.9724).replace("\u00a0", " ")).toBe("97,2 %");
  expect(german.formatBytes(1_300_000)).toBe("1,2 MB");
  expect(german.describeRateChange(0.985, 0.97)).toMatch(/^up 1,5 points/);
});

test.each([
  [5, "5 seconds"],
  [61, "1 minute"],
  [7199, "1 hour"],
  [200_000, "2 days"],
  [-3, "0 seconds"],
])("formats %i seconds as %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));

test("formats latencies, sizes in megabytes, and counts of things", () => {
  expect([84, 1_234].map(formatLatency)).toEqual(["84 ms", "1.2 s"]);
  expect([512, 1_536, 5_120].map(formatMegabytes)).toEqual(["512 MB", "1.5 GB", "5 GB"]);
  expect([1, 0, 1_200].map((count) => pluralize(count, "recipient"))).toEqual([
    "1 recipient",
    "0 recipients",
    "1,200 recipients",
  ]);
});

test.each([
  ["You can't remove the company's last owner", "You can’t remove the company’s last owner"],
  ["the members' mailboxes", "the members’ mailboxes"],
  ["o'neil@example.com isn't a member", "o'neil@example.com isn’t a member"],
  ["Set it to 'a b'", "Set it to 'a b'"],
])("%s becomes %s", (text, expected) => {
  expect(typographic(text)).toBe(expected);
});

test("a phrase becomes one sentence", () => {
  expect(toSentence("restic isn't installed")).toBe("Restic isn’t installed.");
  expect(toSentence("Fixed.")).toBe("Fixed.");
  expect(toSentence("mail.example.com doesn't resolve")).toBe("mail.example.com doesn’t resolve.");
});

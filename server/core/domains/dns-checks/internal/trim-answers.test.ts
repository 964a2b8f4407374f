import { expect, test } from "vitest";

import { trimAnswers } from "./trim-answers.ts";

const trimmed = (records: string[][]) =>
  trimAnswers([
    {
      server: "ns1.test",
      address: null,
      kind: "found",
      records,
      cname: null,
      reason: null,
    },
  ])[0]!.records;

test("trims answers to a size that can be stored", () => {
  expect(trimmed([["a\0b", "\uD800"]])).toEqual([["a\uFFFDb", "\uFFFD"]]);
});

test("keeps the expected records if there are too many", () => {
  const many = Array.from({ length: 300 }, (_, at) => [`token-${at}`]);
  const kept = trimmed([...many, ["v=spf1 ", "-all"], ["svc-verify=abc"]]);
  expect(kept).toHaveLength(40);
  expect(kept.slice(0, 2)).toEqual([["v=spf1 ", "-all"], ["svc-verify=abc"]]);
});

test("truncates long answers and keeps short ones unchanged", () => {
  const long = Array.from({ length: 20 }, () => ["x".repeat(4_000)]);
  expect(trimmed(long)).toHaveLength(4);
  expect(trimmed([["v=spf1 ", "x".repeat(60_000)], ["v=spf1 -all"]])).toEqual([["v=spf1 -all"]]);
  const mx = [
    ["10", "mx1.test"],
    ["20", "mx2.test"],
  ];
  expect(trimmed(mx)).toEqual(mx);
});

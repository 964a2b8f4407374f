import { expect, test } from "vitest";

import type { DomainRecord, RecordProblem } from "#app/console/(pages)/domains/queries.ts";

import { hasRequiredRecords, setUpSteps } from "./domain-set-up.tsx";

const KINDS = ["ownership", "spf", "dkim", "mx"] as const;

const aDomain = (found: string[], isOwn = false) => ({
  name: "northwind.example",
  isOwnershipVerified: isOwn,
  checkedAt: "2026-01-01T00:00:00Z",
  records: KINDS.map(
    (kind) => ({ kind, isVerified: found.includes(kind), answers: [] }) as unknown as DomainRecord,
  ),
});

const aProblem = (record: RecordProblem["record"], isPublished = true) =>
  ({
    record,
    severity: "error",
    title: "Another value",
    difference: { expected: [], found: isPublished ? [{ text: "x", mark: "extra" }] : [] },
  }) as unknown as RecordProblem;

const states = (...args: Parameters<typeof setUpSteps>) =>
  setUpSteps(...args).map(({ state }) => state);

test("nothing published: two steps wait and receiving is optional", () => {
  expect(states(aDomain([]), [])).toEqual(["Waiting", "Waiting", "Optional"]);
  expect(setUpSteps(aDomain([]), null)[1]!.text).toBe("SPF and DKIM weren’t found yet.");
});

test("the mail records alone don’t let an unverified domain send or receive", () => {
  const domain = aDomain(["spf", "dkim", "mx"]);
  expect(states(domain, [])).toEqual(["Waiting", "Waiting", "Waiting"]);
  expect(setUpSteps(domain, [])[1]!.text).toContain("Only ownership is missing");
  expect(hasRequiredRecords(domain)).toBe(false);
});

test("all published: done", () => {
  const domain = aDomain([...KINDS], true);
  expect(states(domain, [])).toEqual(["Done", "Done", "Done"]);
  expect(hasRequiredRecords(domain)).toBe(true);
});

test("a record with another value is incorrect; one that is missing isn’t", () => {
  const domain = aDomain(["ownership", "spf"], true);
  expect(states(domain, [aProblem("dkim")])).toEqual(["Done", "Incorrect", "Optional"]);
  expect(states(domain, [aProblem("dkim", false)])).toEqual(["Done", "Waiting", "Optional"]);
  expect(setUpSteps(domain, [aProblem("dkim")])[1]!.text).toMatch(/^Another value\./);
});

test("mail that arrives elsewhere isn’t an error", () => {
  expect(states(aDomain([], true), [aProblem("mx")])[2]).toBe("Elsewhere");
});

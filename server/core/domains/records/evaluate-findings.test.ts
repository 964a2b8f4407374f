import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { DnsFinding } from "#drizzle/schema/index.ts";

import { evaluateFindings } from "./evaluate-findings.ts";

type Answer = "has" | "other" | "no_name" | "no_data" | "SERVFAIL" | "TIMEOUT" | "REFUSED";

function finding(answer: Answer, server: string): DnsFinding {
  const empty = { server, address: null, cname: null, reason: null, records: [] };
  if (answer === "has" || answer === "other")
    return { ...empty, kind: "found", records: [[answer]] };
  if (answer === "no_name" || answer === "no_data") return { ...empty, kind: answer };
  return { ...empty, kind: "failed", reason: answer };
}

const judged = (own: Answer[], resolver: Answer) =>
  evaluateFindings(
    [...own.map((answer) => finding(answer, "ns.test")), finding(resolver, "resolver")],
    (found) => (found.records.some(([text]) => text === "has") ? "yes" : "no"),
  );

describe("Answers of several servers", () => {
  test.each<[Answer[], Answer, string]>([
    [["has", "has"], "has", "present"],
    [["has", "no_name"], "no_name", "present"],
    [["has", "TIMEOUT"], "SERVFAIL", "present"],
    [["has", "other"], "other", "present"],
    [["no_name", "no_data"], "no_name", "absent"],
    [["other", "no_name"], "TIMEOUT", "absent"],
    // The zone's own answer, not a cached one.
    [["no_name", "no_name"], "has", "absent"],
    [["no_name", "SERVFAIL"], "no_name", "unknown"],
    [["other", "no_name", "TIMEOUT"], "no_name", "unknown"],
    [["no_name", "REFUSED"], "no_name", "absent"],
    // Uses the configured resolver: no name server responded, or none is known.
    [["TIMEOUT", "SERVFAIL"], "has", "present"],
    [["REFUSED", "REFUSED"], "no_name", "absent"],
    [["TIMEOUT"], "SERVFAIL", "unknown"],
    [[], "has", "present"],
    [[], "no_data", "absent"],
    [[], "other", "absent"],
    [[], "TIMEOUT", "unknown"],
  ])("%j and the resolver %s: %s", (own, resolver, expected) => {
    expect(judged(own, resolver)).toBe(expected);
  });

  const answered = fc.constantFrom<Answer>("has", "other", "no_name", "no_data", "REFUSED");
  const failure = fc.constantFrom<Answer>("SERVFAIL", "TIMEOUT");
  const answer = fc.constantFrom<Answer>("other", "no_name", "no_data");

  test("give the same result in any order", () => {
    const any = fc.oneof(answered, failure);
    fc.assert(
      fc.property(fc.array(any), any, (own, resolver) => {
        expect(judged(own.toReversed(), resolver)).toBe(judged(own, resolver));
      }),
    );
  });

  test("with one failure never make a record missing", () => {
    fc.assert(
      fc.property(fc.array(answered), answer, failure, answer, (own, one, failed, resolver) => {
        expect(judged([...own, one, failed], resolver)).not.toBe("absent");
      }),
    );
  });

  test("are required to call a record missing; a single server with the record is enough to find it", () => {
    fc.assert(
      fc.property(fc.array(failure), failure, fc.array(answered), (failed, resolver, own) => {
        expect(judged(failed, resolver)).toBe("unknown");
        expect(judged([...own, "has", ...failed], resolver)).toBe("present");
      }),
    );
  });
});

test("an answer that can't be read completely is inconclusive", () => {
  const findings = [finding("other", "ns1.test"), finding("no_name", "ns2.test")];
  expect(evaluateFindings(findings, () => "open")).toBe("unknown");
  expect(
    evaluateFindings([finding("has", "ns1.test"), ...findings], ({ records }) =>
      records[0]?.[0] === "has" ? "yes" : "open",
    ),
  ).toBe("present");
});

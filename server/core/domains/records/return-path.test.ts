import { expect, test } from "vitest";

import type { DnsFinding, DomainFinding } from "#drizzle/schema/index.ts";

import { findReturnPath, returnPathInUse } from "./return-path.ts";

const HOST = "mail.host.test";
const NAME = "shop.example.test";

const answer = (records: string[][], more: Partial<DnsFinding> = {}): DnsFinding => ({
  server: "ns1.test",
  address: "192.0.2.1",
  records,
  cname: null,
  reason: null,
  kind: records.length > 0 ? "found" : "no_name",
  ...more,
});
const mx = (...hosts: string[]) => answer(hosts.map((host) => host.split(" ")));

/** Findings in which all records count, with these answers for the MX records. */
function findings(of: Partial<Record<"mx" | "return_path_mx", DnsFinding[]>>, name = NAME) {
  const facts = (["spf", "return_path_spf", "mx", "return_path_mx"] as const).map((record) => ({
    record,
    isVerified: true,
    missingSince: null,
    answers: of[record as "mx"] ?? [mx(`10 ${HOST}`)],
  }));
  return {
    path: (before: string | null = null, change: Partial<DomainFinding> = {}) =>
      findReturnPath(
        { name, returnPath: before },
        facts.map((one) => (one.record === change.record ? { ...one, ...change } : one)),
        HOST,
      ),
  };
}

test("the domain itself comes before the name below it", () => {
  expect(findings({}).path()).toBe(NAME);
  expect(findings({}).path(null, { record: "spf", isVerified: false })).toBe(`bounces.${NAME}`);
});

test.each([
  ["another host is preferred", [mx(`20 ${HOST}`, "10 mx.other.test")]],
  ["another host is equally preferred", [mx(`10 ${HOST}`, "10 mx.other.test")]],
  ["one server lacks the record", [mx(`10 ${HOST}`), answer([])]],
  ["one server has another record", [mx(`10 ${HOST}`), mx("10 mx.other.test")]],
])("a name is not used if %s", (_, answers) => {
  expect(findings({ mx: answers }).path(NAME)).toBe(`bounces.${NAME}`);
  expect(findings({ mx: answers, return_path_mx: answers }).path(NAME)).toBeNull();
});

test("a backup host and a server that doesn't answer don't matter", () => {
  const silent = answer([], { kind: "failed", reason: "TIMEOUT" });
  expect(findings({ mx: [mx(`10 ${HOST}`, "20 backup.test"), silent] }).path()).toBe(NAME);
  expect(findings({ mx: [silent] }).path(NAME)).toBe(NAME);
  expect(findings({ mx: [silent] }).path()).toBe(`bounces.${NAME}`);
});

test("a missing record no longer counts", () => {
  const missing = { isVerified: true, missingSince: "2026-01-01" };
  expect(findings({}).path(NAME, { record: "mx", ...missing })).toBe(`bounces.${NAME}`);
});

test("a name that leaves no room for an envelope sender isn't used", () => {
  const name = `${"a".repeat(60)}.`.repeat(3) + "b".repeat(8);
  expect(findings({}, name).path()).toBeNull();
});

test.each([
  [null, "mail.host.test", false],
  [`bounces.${NAME}`, `bounces.${NAME}`, true],
])("with %s recorded, bounces return to %s", (returnPath, name, isAligned) => {
  const domain = { name: NAME, returnPath };
  expect(returnPathInUse(domain, { hostname: HOST, relay: null })).toEqual({ name, isAligned });
});

test("a hostname of the same registered domain is aligned, and a smarthost's mail returns to the hostname", () => {
  const hostname = "mail.example.test";
  const relay = { host: "relay.test", port: 587, implicitTls: false, auth: null };
  expect(returnPathInUse({ name: NAME, returnPath: null }, { hostname, relay: null })).toEqual({
    name: hostname,
    isAligned: true,
  });
  expect(returnPathInUse({ name: NAME, returnPath: NAME }, { hostname: HOST, relay })).toEqual({
    name: HOST,
    isAligned: false,
  });
});

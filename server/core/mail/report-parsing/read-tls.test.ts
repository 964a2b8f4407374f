import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { aTlsJson } from "#server/testing/reports.ts";

import { readTls } from "./read-tls.ts";

const NOW = new Date("2025-11-21T12:00:00Z");
const golden = (name: string) =>
  readTls(readFileSync(join(import.meta.dirname, "testdata", name)), NOW);

test("reads Google's, with what failed and why", () => {
  expect(golden("google-tls.json")).toEqual([
    {
      orgName: "Google Inc.",
      reportId: "2025-11-20T00:00:00Z_example.com",
      domain: "example.com",
      successful: 12,
      failed: 3,
      periodStart: "2025-11-20T00:00:00.000Z",
      periodEnd: "2025-11-20T23:59:59.000Z",
      failures: [
        {
          type: "certificate-expired",
          sessions: 2,
          policy: "sts",
          receivingMx: "mail.example.com",
        },
        { type: "validation-failure", sessions: 1, policy: "sts", reason: "X509_V_ERR bad" },
      ],
    },
  ]);
});

test("reads Microsoft's: merges several policies of a domain and keeps other domains apart", () => {
  expect(golden("microsoft-tls.json")).toMatchObject([
    { orgName: "Microsoft Corporation", domain: "example.com", successful: 6, failed: 0 },
    { domain: "other.example", successful: 9 },
  ]);
});

test.each([
  ["no JSON", "{"],
  ["no report", "{}"],
  ["an array", "[]"],
  ["a period that cannot be", aTlsJson({ domain: "example.com" }).replace(/"20\d\d-/, '"1970-')],
  ["more than any report has", `{"a":"${"x".repeat(6_000_000)}"}`],
  ["deep nesting", `{"policies":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
])("rejects %s", (_, json) => {
  expect(() => readTls(Buffer.from(json), new Date())).toThrow();
});

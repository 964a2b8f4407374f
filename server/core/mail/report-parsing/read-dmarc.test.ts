import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { aDmarcXml } from "#server/testing/reports.ts";

import { readDmarcReport } from "./read-dmarc.ts";

const NOW = new Date("2025-11-21T12:00:00Z");

function golden(name: string) {
  const xml = readFileSync(join(import.meta.dirname, "testdata", name), "utf8");
  const { rows, ...header } = readDmarcReport(xml, NOW);
  return { ...header, rows: rows.flatMap((batch) => JSON.parse(batch) as object[]) };
}

test("reads Google's", () => {
  expect(golden("google.xml")).toEqual({
    orgName: "google.com",
    reportId: "12345678901234567890",
    domain: "example.com",
    periodStart: "2025-11-20T00:00:00.000Z",
    periodEnd: "2025-11-20T23:59:59.000Z",
    policy: { p: "none", sp: "none", np: "none", adkim: "r", aspf: "r", pct: "100" },
    rows: [
      {
        source_ip: "192.0.2.10",
        messages: 25,
        disposition: "none",
        dkim: "pass",
        spf: "pass",
        header_from: "example.com",
        envelope_from: null,
        reasons: [],
        auth: [
          { kind: "dkim", domain: "example.com", selector: "ph1", result: "pass" },
          { kind: "spf", domain: "example.com", result: "pass" },
        ],
      },
      {
        source_ip: "2001:db8::5",
        messages: 2,
        disposition: "none",
        dkim: "fail",
        spf: "fail",
        header_from: "example.com",
        envelope_from: null,
        reasons: ["local_policy"],
        auth: [{ kind: "spf", domain: "list.example.org", result: "softfail" }],
      },
    ],
  });
});

test("reads Microsoft's, with namespaces and rejected messages", () => {
  expect(golden("microsoft.xml")).toMatchObject({
    orgName: "Outlook.com",
    policy: { p: "reject", fo: "0" },
    rows: [
      {
        messages: 4,
        disposition: "reject",
        dkim: "fail",
        spf: "fail",
        envelope_from: "spam.example.net",
      },
    ],
  });
});

test("reads Yahoo's, with white space around numbers", () => {
  expect(golden("yahoo.xml")).toMatchObject({
    orgName: "Yahoo",
    reportId: "1763690000.123456",
    periodEnd: "2025-11-20T23:59:59.000Z",
    rows: [{ messages: 7, dkim: "pass", spf: "fail" }],
  });
});

test("reads Mail.ru's, on one line, with IPv4-mapped addresses and an empty sp", () => {
  const { policy, rows } = golden("mail-ru.xml");
  expect(policy).toEqual({ p: "none", adkim: "s", aspf: "s", pct: "100" });
  expect(rows).toMatchObject([{ source_ip: "192.0.2.44", header_from: "example.com" }]);
});

test("reads Comcast's, with entities, uppercase values and reasons; skips a row without an address", () => {
  const { domain, rows } = golden("comcast.xml");
  expect(domain).toBe("example.com");
  expect(rows).toHaveLength(1);
  expect(rows).toMatchObject([
    {
      disposition: "quarantine",
      dkim: "fail",
      spf: "pass",
      header_from: "news.example.com",
      reasons: ["forwarded", "mailing_list"],
    },
  ]);
});

test("reads the schema of RFC 9990, with a prefix and an extension", () => {
  expect(golden("rfc9990.xml")).toMatchObject({
    policy: { p: "quarantine", np: "none", testing: "n", discovery_method: "treewalk" },
    rows: [{ messages: 123, disposition: "none", dkim: "pass", spf: "fail" }],
  });
});

const valid = aDmarcXml({ domain: "example.com" });
test.each([
  ["no report", "<feedback></feedback>"],
  ["no XML", "hello"],
  ["no reporter", valid.replace(/<org_name>.*<\/org_name>/, "")],
  ["no id", valid.replace(/<report_id>.*<\/report_id>/, "<report_id> </report_id>")],
  ["no domain", valid.replace("<domain>example.com</domain>", "<domain>..</domain>")],
  ["a period from the future", valid.replace(/<end>\d+/, "<end>9999999999")],
  ["a period without end", valid.replace(/<end>\d+/, "<end>soon")],
  ["a period of years", valid.replace(/<begin>\d+/, "<begin>1")],
])("rejects %s", (_, xml) => {
  expect(() => readDmarcReport(xml, new Date())).toThrow();
});

test.each(["-1", "1e3", "99999999999", "0x10", ""])("skips a row with count %j", (count) => {
  const xml = valid.replace("<count>1</count>", `<count>${count}</count>`);
  expect(readDmarcReport(xml, new Date()).rows).toEqual([]);
});

test("truncates text and removes characters that Postgres rejects", () => {
  const xml = valid.replace("google.com", `a&#0;b&#x202E;c\ud800${"x".repeat(5000)}`);
  const { orgName } = readDmarcReport(xml, new Date());
  expect(orgName).toHaveLength(255);
  expect(orgName).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
});

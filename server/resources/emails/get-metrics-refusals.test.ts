import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, test } from "vitest";

import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";

import { emailsApi } from "./api.ts";

let companyId: string;
let key: string;

beforeAll(async () => {
  companyId = (await aCompany()).id;
  key = (await anApiKey(companyId)).token;
});

const FORMATS = "must be a date (2026-01-31), a date and time";
const ZONE = "timezone: must be an IANA time zone name";

describe("GET /emails/metrics rejects", () => {
  test.each([
    ["a date that is none", { start_date: "yesterday" }, `start_date: ${FORMATS}`],
    ["February 30", { start_date: "2026-02-30" }, `start_date: ${FORMATS}`],
    ["an end that is none", { end_date: "" }, `end_date: ${FORMATS}`],
    [
      "a date given twice",
      [
        ["start_date", "2026-01-01"],
        ["start_date", "2026-01-01"],
      ],
      "start_date: must appear only once",
    ],
    [
      "a start after the end",
      { start_date: "2026-02-02", end_date: "2026-02-01" },
      "start_date is after end_date",
    ],
    ["a start in the future", { start_date: "2999-01-01" }, "start_date is after end_date"],
    [
      "over 366 days",
      { start_date: "2025-01-01", end_date: "2026-01-02" },
      "The range is longer than 366 days",
    ],
    ["an abbreviation as zone", { timezone: "EST" }, ZONE],
    ["an offset as zone", { timezone: "+02:00" }, ZONE],
    ["an unknown zone", { timezone: "Mars/Olympus" }, ZONE],
    ["an empty zone", { timezone: "" }, ZONE],
    [
      "an unknown granularity",
      { granularity: "yearly" },
      "granularity: must be one of hourly, daily, weekly, monthly",
    ],
    ["an unknown metric", { metrics: "sent,unsubscribed" }, "metrics[1]: must be one of sent, "],
    ["a metric in capitals", { metrics: "Sent" }, "metrics[0]: must be one of sent, "],
    ["an empty list of metrics", { metrics: "" }, "metrics[0]: must be one of sent, "],
    ["the name of an event that is no metric", { metrics: "queued" }, "metrics[0]: must be one of"],
    [
      "an unknown dimension",
      { dimensions: "email" },
      "dimensions[0]: must be one of period, domain",
    ],
    ["a domain id that is none", { domain_id: "example.org" }, "domain_id[0]: must be a domain ID"],
    ["an id of nothing", { domain_id: randomUUID() }, "domain_id: the company has no domain"],
    [
      "over 100 domain ids",
      { domain_id: Array.from({ length: 101 }, () => randomUUID()).join(",") },
      "domain_id: must have at most 100 IDs",
    ],
    ["email_id", { email_id: randomUUID() }, "email_id: metrics by email are not supported"],
    ["an empty email_id", { email_id: "" }, "email_id: metrics by email are not supported"],
    ["broadcast_id", { broadcast_id: "x" }, "broadcast_id: metrics by broadcast are not supported"],
  ] as [string, Record<string, string> | [string, string][], string][])(
    "%s",
    async (_, query, message) => {
      expect(await call(emailsApi.getMetrics, { key, query })).toMatchObject({
        status: 422,
        body: {
          statusCode: 422,
          name: "validation_error",
          message: expect.stringContaining(message) as string,
        },
      });
    },
  );

  test("another company's domain id, like an unknown one", async () => {
    const { id } = await aDomain((await aCompany()).id);

    expect(await call(emailsApi.getMetrics, { key, query: { domain_id: id } })).toMatchObject({
      status: 422,
      body: { name: "validation_error", message: `domain_id: the company has no domain ${id}` },
    });
  });

  test("a sending key", async () => {
    const { token } = await anApiKey(companyId, { permission: "sending_access" });

    expect(await call(emailsApi.getMetrics, { key: token })).toMatchObject({
      status: 401,
      body: { name: "restricted_api_key" },
    });
  });

  test("a key whose creator lacks api_controls", async () => {
    const { token } = await anApiKey(companyId, { privileges: ["domains"] });

    expect(await call(emailsApi.getMetrics, { key: token })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  });
});

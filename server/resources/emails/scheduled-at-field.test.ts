import { describe, expect, test } from "vitest";

import { parse } from "#server/http/parse.ts";

import { EmailFields } from "./fields.ts";
import { emailsApi } from "./api.ts";

const email = { from: "ann@shop.example", to: "bob@example.org", subject: "Hi", text: "Hi" };
const read = (fields: object) =>
  parse(EmailFields, { ...email, ...fields }, emailsApi.send).scheduledAt;

const HOUR_MS = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

describe.each(["scheduled_at", "scheduledAt"])("%s", (field) => {
  test("accepts a time with a time zone", () => {
    const at = ahead(HOUR_MS);

    expect(read({ [field]: at })).toEqual(new Date(at));
  });

  test("accepts a phrase relative to now", () => {
    const before = Date.now();
    const at = read({ [field]: "in 1 hour" })!.getTime();

    expect(at).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(at).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  });

  test.each([
    ["a time just past", ahead(-30_000)],
    ["in 2 seconds", "in 2 seconds"],
    ["an empty text", ""],
    ["null", null],
  ])("sends immediately for %s", (_, value) => {
    expect(read({ [field]: value })).toBeNull();
  });

  test.each([
    ["unreadable", "tomorrow", `${field}: must be an ISO 8601 date and time with time zone`],
    ["without zone", "2099-01-01T00:00:00", `${field}: must be an ISO 8601 date and time`],
    ["past", "2020-01-01T00:00:00Z", `${field}: must not be in the past`],
    ["too far ahead", "in 31 days", `${field}: must be at most 30 days ahead`],
    ["a number", 1795341600, `${field}: must be a string, not a number`],
    ["an object", {}, `${field}: must be a string, not an object`],
  ])("rejects %s", (_, value, message) => {
    expect(() => read({ [field]: value })).toThrow(
      expect.objectContaining({
        reason: "invalid",
        message: expect.stringContaining(message) as string,
      }),
    );
  });
});

test("an email without a time is sent immediately", () => {
  expect(read({})).toBeNull();
});

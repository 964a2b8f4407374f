import { expect, test } from "vitest";

import { sentHeaders } from "./compose-message.ts";

const target = {
  companyId: "0190f3c2-7a77-7000-8000-0123456789ab",
  emailId: "0190f3c2-7a77-7000-8000-0123456789ac",
  recipients: ["bob@example.org"],
  baseUrl: "https://mail.here.test",
  campaign: null,
  isTest: false,
};

test.each([
  [{}, null, ":transactional:posthouse"],
  [{ "X-A": "1" }, "spring", "spring:transactional:posthouse"],
  [{ "list-unsubscribe": "<mailto:stop@a.example>" }, null, ":list:posthouse"],
])("the Feedback-ID of %j and the campaign %j is %s", (headers, campaign, expected) => {
  const { "Feedback-ID": id, ...others } = sentHeaders(headers, { ...target, campaign });
  expect(id).toBe(
    expected.replace(/^(\w*):/, (_, start: string) => `${start}:${target.companyId}:`),
  );
  expect(others).toEqual(headers);
});

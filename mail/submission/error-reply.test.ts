import { expect, test } from "vitest";

import { Refusal, type RefusalReason, refusals } from "#server/core/shared/refusals.ts";

import { toSmtpReply } from "./error-reply.ts";

const replyTo = (reason: RefusalReason) => toSmtpReply(new Refusal(reason, "Why not"));

test("what an email's content causes is permanent, whatever its reason", () => {
  expect(replyTo("invalid")).toMatchObject({ responseCode: 554, message: "5.6.0 Why not" });
  expect(replyTo("payload_too_large")).toMatchObject({
    responseCode: 552,
    message: "5.3.4 Why not",
  });
  const reasons = Object.keys(refusals) as RefusalReason[];
  for (const reason of reasons.filter((each) => refusals[each].status < 500))
    expect(replyTo(reason), reason).not.toBeNull();
});

test("a limit and our own errors are temporary or unexpected", () => {
  expect(replyTo("rate_limit_exceeded")).toMatchObject({
    responseCode: 450,
    message: "4.7.1 Why not",
  });
  expect(replyTo("application_error")).toMatchObject({
    responseCode: 451,
    message: "4.3.0 Why not",
  });
  expect(replyTo("mail_server_error")).toBeNull();
});

import { describe, expect, test } from "vitest";

import { CAUSES } from "./causes.ts";
import { explainOutcome, explainReply, findCause } from "./explain-reply.ts";

describe("explains a code without text", () => {
  test.each<[dsn: string, why: string]>([
    ["5.1.1", "The mailbox does not exist at example.net."],
    ["4.1.1", "The mailbox does not exist at example.net."],
    ["5.1.2", "example.net does not exist or cannot receive mail."],
    ["5.1.10", "example.net doesn't accept any mail."],
    ["5.2.2", "The mailbox at example.net is full."],
    ["4.4.1", "No mail server of example.net answered."],
    ["4.4.2", "The connection to the mail server of example.net was lost."],
    ["4.4.3", "The mail servers of example.net could not be looked up in DNS."],
    ["4.4.7", "example.net did not accept the message in time."],
    ["4.7.5", "No mail server of example.net offered the required secure connection."],
    ["5.7.1", "example.net does not accept mail from this sender."],
    ["5.7.99", "example.net rejected the message because of its policy."],
    ["5.9.9", "example.net did not accept the message."],
    ["4.0.0", "example.net did not accept the message."],
    ["nonsense", "example.net did not accept the message."],
  ])("explains %s as %s", (dsn, why) => {
    const reply = { dsn, message: "", domain: "example.net", isDelayed: false };
    expect(explainReply(reply).why).toBe(why);
  });
});

test("ignores addresses in a reply", () => {
  const message = "550 5.0.0 <spam-policy@there.example>: no";
  expect(findCause({ dsn: "5.0.0", message })).toBe("not_taken");
});

test("gives advice for a final failure, none for a delay", () => {
  const reply = { dsn: "5.2.2", message: "452 full", domain: "example.net" };
  expect(explainReply({ ...reply, isDelayed: false }).advice).toMatch(/^Contact the recipient/);
  expect(explainReply({ ...reply, isDelayed: true }).advice).toBeNull();
});

test("explains a local failure", () => {
  expect(
    explainReply({
      dsn: "4.3.0",
      message: "The sending domain has no DKIM key",
      domain: "example.net",
      isDelayed: true,
    }).why,
  ).toBe("This server could not send the message yet: The sending domain has no DKIM key.");
});

test("explains a wait for the warm-up", () => {
  const message = "Warm-up: This server is new. Next attempt: 2026-11-24 00:00 UTC";
  const reply = { dsn: "4.3.0", message, domain: "example.net", isDelayed: true };
  expect(explainReply(reply)).toEqual({ why: `${message}.`, advice: null });
});

test("every sentence ends with a period and names the domain at most once", () => {
  for (const { why, advice } of Object.values(CAUSES)) {
    expect(why("example.net")).toMatch(/^[A-Z]?.*\.$/);
    expect(why("example.net").split("example.net").length).toBeLessThanOrEqual(2);
    if (advice !== null) expect(advice).toMatch(/^[A-Z].*\.$/);
  }
});

const NOTHING = { recipient: null, dsn: null, message: null, reason: null };

test.each([
  [
    { type: "bounced", recipient: "ann@there.example", dsn: "5.1.1", message: "550 no" },
    {
      why: "The mailbox does not exist at there.example.",
      advice: "Correct the address, or remove it from your lists.",
    },
  ],
  [
    { type: "delivery_delayed", recipient: "ann@there.example", dsn: "4.2.2" },
    { why: "The mailbox at there.example is full.", advice: null },
  ],
  [
    { type: "bounced", recipient: "ann@there.example" },
    { why: "there.example did not accept the message.", advice: null },
  ],
  [
    { type: "suppressed", recipient: "ann@there.example", reason: "It bounced" },
    {
      why: "It bounced.",
      advice: "Remove it from the suppression list if it can receive mail again.",
    },
  ],
  [
    { type: "failed", reason: "The sending domain was deleted" },
    { why: "The sending domain was deleted.", advice: "Fix this, then resend." },
  ],
  [
    { type: "canceled", reason: "Canceled on request" },
    { why: "Canceled on request.", advice: null },
  ],
  [{ type: "delivered", recipient: "ann@there.example", dsn: "2.0.0", message: "250 OK" }, null],
  [{ type: "sent" }, null],
] as const)("%o", (outcome, explanation) => {
  expect(explainOutcome({ ...NOTHING, ...outcome })).toEqual(explanation);
});

import { expect, test } from "vitest";

import { explainOutcome } from "./explain-outcome.ts";

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

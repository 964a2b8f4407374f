import { expect, test } from "vitest";

import { explainStatus } from "./explain-status.ts";

test.each([
  ["5.1.1", "550 5.1.1 User unknown", "The mailbox does not exist."],
  ["5.1.6", "551 Moved", "The mailbox does not exist."],
  ["5.1.2", "The domain x.test does not exist", "The domain after the @ does not exist"],
  ["5.1.10", "The domain x.test does not accept mail (null MX)", "The domain after the @ does not"],
  ["5.1.8", "553 5.1.8 Sender domain not found", "does not accept the sender's address"],
  ["5.2.1", "550 5.2.1 Disabled", "The mailbox is disabled"],
  ["5.2.2", "552 5.2.2 Over quota", "The mailbox is full."],
  ["5.3.4", "552 5.3.4 Message too big", "The message is too large"],
  ["5.2.3", "552 5.2.3 Exceeds limit", "The message is too large"],
  ["5.4.6", "554 5.4.6 Too many hops", "is looping"],
  ["5.4.7", "451 4.4.1 No answer", "The other server did not accept the message in time"],
  ["5.6.0", "554 5.6.0 Malformed", "could not parse the message"],
  ["5.6.7", "mx does not accept non-ASCII addresses", "non-ASCII characters"],
  ["5.7.1", "550 5.7.1 Your IP is listed by Spamhaus", "has blocked mail from this server"],
  ["5.7.606", "550 5.7.606 Access denied", "has blocked mail from this server"],
  ["5.0.0", "554 Blocked, see https://x.test", "has blocked mail from this server"],
  ["5.7.26", "550 5.7.26 Unauthenticated email", "could not verify that the message is from"],
  ["5.7.1", "550 5.7.1 Not allowed by policy", "because of its policy"],
  ["5.7.2", "This group only accepts mail from its members", "because of its policy"],
  ["5.0.0", "554 Transaction failed", "The other server rejected the message."],
])("%s with %j: %s", (status, reply, words) => {
  expect(explainStatus(status, reply).what).toContain(words);
});

test("a full mailbox is reported as full, whatever the reply", () => {
  expect(explainStatus("5.2.2", "552 5.2.2 Mailbox full, blocked by quota").what).toBe(
    "The mailbox is full.",
  );
});

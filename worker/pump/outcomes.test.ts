import { expect, test } from "vitest";

import type { Outcome } from "#mail/smtp/outcome.ts";

import { deferLocalRejections } from "./outcomes.ts";

const denied = (recipient: string, rest: Partial<Outcome> = {}): Outcome => ({
  recipient,
  result: "bounced",
  dsn: "5.1.1",
  message: "550 5.1.1 User doesn't exist",
  suppress: true,
  ...rest,
});

const mailboxes = new Set(["ann@example.com"]);

test("an existing mailbox doesn't bounce while Dovecot doesn't know it", () => {
  expect(deferLocalRejections([denied("ann@example.com")], mailboxes)).toEqual([
    denied("ann@example.com", { result: "delayed", dsn: "4.3.0", suppress: false }),
  ]);
});

test("a full mailbox defers the message and is not suppressed", () => {
  const full = { dsn: "5.2.2", message: "552 5.2.2 Mailbox is full" };
  expect(deferLocalRejections([denied("ann@example.com", full)], mailboxes)).toEqual([
    denied("ann@example.com", { ...full, result: "delayed", dsn: "4.2.2", suppress: false }),
  ]);
});

test("leaves rejections of unknown addresses and for other reasons unchanged", () => {
  const outcomes = [
    denied("nobody@example.com"),
    denied("nobody@example.com", { dsn: "5.2.2", message: "552 5.2.2 Mailbox is full" }),
    denied("ann@example.com", { dsn: "5.6.0", message: "554 5.6.0 Broken" }),
  ];
  expect(deferLocalRejections(outcomes, mailboxes)).toEqual(outcomes);
});

import { expect, test } from "vitest";

import type { Outcome } from "#worker/delivery/delivery.ts";

import { withoutFalseDenials } from "./outcomes.ts";

const denied = (recipient: string, rest: Partial<Outcome> = {}): Outcome => ({
  recipient,
  result: "bounced",
  dsn: "5.1.1",
  message: "550 5.1.1 User doesn't exist",
  suppress: true,
  ...rest,
});

test("a mailbox that exists is not bounced because Dovecot does not know it at the moment", () => {
  const mailboxes = new Set(["ann@example.com"]);
  expect(withoutFalseDenials([denied("ann@example.com")], mailboxes)).toEqual([
    denied("ann@example.com", { result: "delayed", dsn: "4.3.0", suppress: false }),
  ]);
});

test("what no mailbox is, and a refusal for another reason, stay as they are", () => {
  const outcomes = [
    denied("nobody@example.com"),
    denied("ann@example.com", { dsn: "5.2.2", message: "552 5.2.2 Mailbox is full" }),
  ];
  expect(withoutFalseDenials(outcomes, new Set(["ann@example.com"]))).toEqual(outcomes);
});

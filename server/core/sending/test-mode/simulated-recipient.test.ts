import { expect, test } from "vitest";

import { simulatedRecipient } from "./simulated-recipient.ts";

const DELIVERED = { kind: "delivered" };

test.each([
  ["delivered@test.mail.example", DELIVERED],
  ["bounced@test.mail.example", { kind: "bounced", dsn: "5.1.1" }],
  ["bounced+5.2.2@test.mail.example", { kind: "bounced", dsn: "5.2.2" }],
  ["bounced+4.2.2@test.mail.example", { kind: "bounced", dsn: "5.1.1" }],
  ["bounced+order@resend.dev", { kind: "bounced", dsn: "5.1.1" }],
  ["delayed@test.mail.example", { kind: "delayed", failures: 1 }],
  ["delayed+3@test.mail.example", { kind: "delayed", failures: 3 }],
  ["delayed+99@test.mail.example", { kind: "delayed", failures: 20 }],
  ["delayed+0@test.mail.example", { kind: "delayed", failures: 1 }],
  ["complained@resend.dev", { kind: "complained" }],
  ["suppressed@test.mail.example", { kind: "suppressed" }],
  ["opened@test.mail.example", { kind: "opened" }],
  ["clicked+label@resend.dev", { kind: "clicked" }],
])("%s", (address, expected) => {
  expect(simulatedRecipient(address, "mail.example")).toEqual(expected);
});

test.each([
  ["another local part", "constructor@test.mail.example"],
  ["the mail hostname itself", "bounced@mail.example"],
  ["another test domain", "bounced@test.other.example"],
  ["a subdomain", "bounced@a.test.mail.example"],
  ["a domain that ends alike", "bounced@myresend.dev"],
])("delivers to %s", (_, address) => {
  expect(simulatedRecipient(address, "mail.example")).toEqual(DELIVERED);
});

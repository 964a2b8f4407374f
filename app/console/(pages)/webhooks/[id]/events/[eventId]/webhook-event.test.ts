import { expect, test } from "vitest";

import { eventSubject } from "./webhook-event.tsx";

const email = { email_id: "e1", subject: "Your receipt", to: ["ann@example.com"] };
const domain = { id: "d1", name: "example.com" };

test.each([
  ["email.sent", email, { kind: "Email", name: "Your receipt", href: "/console/emails/e1" }],
  ["email.sent", { email_id: "e1" }, { kind: "Email", name: "e1", href: "/console/emails/e1" }],
  ["domain.created", domain, { kind: "Domain", name: "example.com", href: "/console/domains/d1" }],
  ["domain.deleted", domain, { kind: "Domain", name: "example.com", href: null }],
  ["email.sent", {}, null],
])("links %s to its email or domain: %j", (type, data, subject) => {
  expect(eventSubject({ type, isTest: false, payload: { data } })).toEqual(subject);
});

test("test events have no subject", () => {
  expect(eventSubject({ type: "email.sent", isTest: true, payload: { data: email } })).toBeNull();
});

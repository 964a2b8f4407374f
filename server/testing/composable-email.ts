import type { ComposableEmail } from "#server/core/sending/compose/compose-message.ts";

/** An email for the composer: by default plain text from a shop to one recipient. */
export const aComposableEmail = (email: Partial<ComposableEmail> = {}): ComposableEmail => ({
  messageId: "<0190f3c2@shop.example>",
  date: new Date("2026-11-21T01:02:03Z"),
  addressHeaders: {
    from: { name: "Shop", address: "orders@shop.example" },
    to: [{ name: "", address: "ann@example.org" }],
    cc: [],
    replyTo: [],
  },
  subject: "Your order",
  html: null,
  text: "Thank you",
  headers: {},
  attachments: [],
  tracking: null,
  ...email,
});

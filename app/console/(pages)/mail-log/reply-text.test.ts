import { expect, test } from "vitest";

import { outgoingText } from "./reply-text.ts";

const attempt = { why: null, destination: "example.net" };

test("a delivered message is described in words, not with the server's reply", () => {
  expect(outgoingText({ ...attempt, reply: "250 2.0.0 OK 1772622671 gsmtp" })).toBe(
    "Accepted by example.net.",
  );
});

test("other replies are explained, or shown as they are", () => {
  const why = "The mailbox at example.net is full.";
  expect(outgoingText({ ...attempt, why, reply: "452 4.2.2 Full" })).toBe(why);
  expect(outgoingText({ ...attempt, reply: "It bounced before" })).toBe("It bounced before");
  expect(outgoingText({ ...attempt, reply: null })).toBe("");
});

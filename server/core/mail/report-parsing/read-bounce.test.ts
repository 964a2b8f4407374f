import { expect, test } from "vitest";

import { readIncoming } from "#server/core/mail/incoming/read-incoming.ts";

const read = async (...lines: string[]) => {
  const reading = await readIncoming(Buffer.from(lines.join("\r\n")));
  return reading.kind === "bounce" ? reading.bounce.failures : reading.kind;
};

test("reads Microsoft's, with several recipients and folded lines", async () => {
  expect(
    await read(
      'Content-Type: multipart/report; report-type=delivery-status; boundary="x"',
      "",
      "--x",
      "Content-Type: text/html",
      "",
      "<p>Undeliverable</p>",
      "--x",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns;AM0PR01.eurprd01.prod.exchangelabs.com",
      "",
      "Final-Recipient: rfc822;ann@there.test",
      "Action: failed",
      "Status: 5.1.10",
      "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound;",
      "\tnot found",
      "",
      "Original-Recipient: rfc822;bob@there.test",
      "Final-Recipient: rfc822;b2@there.test",
      "Action: failed",
      "Status: 5.2.2 (full)",
      "",
      "--x--",
    ),
  ).toEqual([
    {
      addresses: ["ann@there.test"],
      dsn: "5.1.10",
      message: "550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found",
    },
    { addresses: ["bob@there.test", "b2@there.test"], dsn: "5.2.2", message: "" },
  ]);
});

test("the action takes precedence over the status", async () => {
  const dsn = (...fields: string[]) =>
    read(
      'Content-Type: multipart/report; report-type=delivery-status; boundary="x"',
      "",
      "--x",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; x.test",
      "",
      "Final-Recipient: rfc822; ann@there.test",
      ...fields,
      "",
      "--x--",
    );
  expect(await dsn("Action: failed", "Status: 4.4.7")).toMatchObject([{ dsn: "4.4.7" }]);
  expect(await dsn("Action: Failed (expired)")).toMatchObject([{ dsn: "5.0.0" }]);
  expect(await dsn("Action: delayed", "Status: 5.1.1")).toEqual([]);
});

test("reads Exim's, which names the recipients in a header field", async () => {
  expect(
    await read(
      "X-Failed-Recipients: ann@there.test, bob@there.test",
      "Subject: Mail delivery failed",
      "",
      "A message that you sent could not be delivered.",
      "  ann@there.test",
      "    host mx.there.test: 550 5.1.1 User unknown",
    ),
  ).toMatchObject(
    [
      { addresses: ["ann@there.test"], dsn: "5.1.1" },
      { addresses: ["bob@there.test"], dsn: "5.1.1", message: /550 5.1.1 User unknown/ },
    ].map(({ message, ...rest }) => ({
      ...rest,
      ...(message && { message: expect.stringMatching(message) as string }),
    })),
  );
});

test("reads qmail's", async () => {
  expect(
    await read(
      "Subject: failure notice",
      "",
      "Hi. This is the qmail-send program at there.test.",
      "I'm afraid I wasn't able to deliver your message.",
      "",
      "<ann@there.test>:",
      "Sorry, no mailbox here by that name. (#5.1.1)",
      "",
      "--- Below this line is a copy of the message.",
      "",
      "Return-Path: <x@y.test>",
    ),
  ).toEqual([
    {
      addresses: ["ann@there.test"],
      dsn: "5.1.1",
      message: "Sorry, no mailbox here by that name. (#5.1.1)",
    },
  ]);
});

test("does not treat a text that only mentions a bounce as one", async () => {
  expect(await read("Subject: Help", "", "<ann@there.test>:", "550 5.1.1 unknown")).toBe("nothing");
  expect(await read("X-Failed-Recipients: ann@there.test", "", "It failed.")).toEqual([]);
});

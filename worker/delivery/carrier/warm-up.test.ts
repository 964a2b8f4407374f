import { expect, test } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";

const { aSink, aCarrier } = outsideMail();

test("a warm-up's quota counts only recipients that the server accepted or rejected for good", async () => {
  const replies: Record<string, string> = {
    "b@there.test": "451 Try again later",
    "c@there.test": "550 5.1.1 Unknown",
  };
  const sink = await aSink({
    script: ({ verb, address }) => {
      const reply = verb === "RCPT" ? replies[address] : undefined;
      return reply === undefined ? undefined : { reply };
    },
  });
  const returned: number[] = [];
  const carrier = await aCarrier(sink, {
    warmUp: { admit: () => null, putBack: (_, recipients) => returned.push(recipients) },
  });
  const outcomes = await carrier.deliver({
    route: { kind: "mx", domain: "there.test" },
    envelopeFrom: "x@here.test",
    recipients: ["a@there.test", "b@there.test", "c@there.test"],
    message: Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
  });
  expect(outcomes.map(({ result }) => result)).toEqual(["delivered", "delayed", "bounced"]);
  expect(returned).toEqual([1]);
});

import { expect, test } from "vitest";

import { outsideMail } from "#server/testing/outside-mail.ts";
import type { Delivery } from "#worker/delivery/delivery.ts";

const { aSink, aCarrier } = outsideMail();

const DELIVERY: Delivery = {
  route: { kind: "mx", domain: "there.test" },
  envelopeFrom: "Ann@here.test",
  recipients: ["Bob@there.test", "cay@there.test"],
  message: Buffer.from("From: ann@here.test\r\n\r\nHello\r\n"),
  dsn: {
    envelopeId: "QQ314159",
    returnFull: false,
    recipients: new Map([
      [
        "Bob@there.test",
        { notify: ["success", "failure"], originalRecipient: "rfc822;Bob@there.test" },
      ],
      ["cay@there.test", { notify: ["never"], originalRecipient: null }],
    ]),
  },
};
const envelopeOf = (commands: string[]) =>
  commands
    .filter((command) => /^(MAIL|RCPT)/.test(command))
    .map((one) => one.replace(/ (SIZE|BODY)=\S+/g, ""));

test.each([true, false])(
  "a server with DSN receives the sender's requests (pipelining: %s)",
  async (pipelining) => {
    const sink = await aSink({ dsn: true, pipelining });
    const outcomes = await (await aCarrier(sink)).deliver(DELIVERY);
    expect(envelopeOf(sink.commands)).toEqual([
      "MAIL FROM:<Ann@here.test> RET=HDRS ENVID=QQ314159",
      "RCPT TO:<Bob@there.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;Bob@there.test",
      "RCPT TO:<cay@there.test> NOTIFY=NEVER",
    ]);
    expect(outcomes.map(({ isDsnRelayed }) => isDsnRelayed)).toEqual([true, true]);
  },
);

test("a server without DSN receives none of it, and neither does one for a message without requests", async () => {
  const plain = await aSink();
  const [outcome] = await (await aCarrier(plain)).deliver(DELIVERY);
  expect(envelopeOf(plain.commands).join()).not.toMatch(/RET|ENVID|NOTIFY|ORCPT/);
  expect(outcome).not.toHaveProperty("isDsnRelayed");
  const able = await aSink({ dsn: true });
  const [other] = await (await aCarrier(able)).deliver({ ...DELIVERY, dsn: undefined });
  expect(envelopeOf(able.commands).join()).not.toMatch(/RET|ENVID|NOTIFY|ORCPT/);
  expect(other).not.toHaveProperty("isDsnRelayed");
});

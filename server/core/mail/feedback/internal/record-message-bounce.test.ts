import { beforeEach, expect, test } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { handleIncoming } from "#server/core/mail/incoming/handle-incoming.ts";
import { db } from "#server/db/pool.ts";
import { aDsn } from "#server/testing/feedback.ts";
import {
  aLeasedMessage,
  ANN,
  type LeasedMessage,
  recipientsOf,
  reports,
  theReport,
} from "#server/testing/leased-messages.ts";

beforeEach(async () => {
  await db().delete(messages);
});

const take = async (id: string, message: Buffer) =>
  (await handleIncoming(db(), { kind: "email", emailId: id }, message, () => Promise.resolve(true)))
    .kind;

async function aDelivered(given: LeasedMessage) {
  const { id, record } = await aLeasedMessage({ origin: "forward", ...given });
  await record(...given.to.map(() => ({})));
  return id;
}
const statesOf = async (id: string) => (await recipientsOf(id)).map(({ state }) => state);

test("a late bounce of a forward is returned to the mailbox once", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });
  const bounce = aDsn([{ recipient: "Bob@There.test" }]);

  const taken = await Promise.all([take(id, bounce), take(id, bounce)]);
  expect(taken.toSorted()).toEqual(["bounce", "nothing"]);
  expect(await recipientsOf(id)).toMatchObject([
    { state: "bounced", dsn: "5.1.1", reply: "550 User unknown" },
  ]);
  const { recipient, text, status } = await theReport();
  expect(recipient).toBe(ANN);
  expect(text).toContain("A message forwarded from your mailbox could not be delivered");
  expect(status).toContain("Final-Recipient: rfc822; bob@there.test\r\nAction: failed\r\n");
});

test("a late bounce of mail sent as a group goes to the mailbox that sent it", async () => {
  const sent = { origin: "submission", sender: "team@example.com", mailbox: ANN } as const;
  const to = ["bob@there.test"];
  const id = await aDelivered({ ...sent, groupAddress: "team@example.com", to });

  expect(await take(id, aDsn([{ recipient: "bob@there.test" }]))).toBe("bounce");
  expect((await theReport()).recipient).toBe(ANN);
});

test("a bounce with an unknown address is attributed to the only recipient", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });

  expect(await take(id, aDsn([{ recipient: "carl@elsewhere.test" }]))).toBe("bounce");
  expect(await statesOf(id)).toEqual(["bounced"]);
});

test("a bounce with a temporary status returns the forward too", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });

  expect(await take(id, aDsn([{ recipient: "bob@there.test", status: "4.4.7" }]))).toBe("bounce");
  const { status, recipient } = await theReport();
  expect(recipient).toBe(ANN);
  expect(status).toContain("Action: failed\r\nStatus: 5.4.7\r\n");
});

test("only named recipients of a group's copy bounce, without a message to the sender", async () => {
  const given = { origin: "group", isSenderTold: false } as const;
  const id = await aDelivered({ ...given, to: ["bob@there.test", "eve@there.test"] });

  expect(await take(id, aDsn([{ recipient: "carl@elsewhere.test" }]))).toBe("nothing");
  expect(await take(id, aDsn([{ recipient: "eve@there.test" }]))).toBe("bounce");
  expect(await statesOf(id)).toEqual(["delivered", "bounced"]);
  expect(await reports()).toEqual([]);
});

test("defers a bounce that arrives before its delivery is recorded", async () => {
  const { id, record } = await aLeasedMessage({ origin: "forward", to: ["bob@there.test"] });
  const bounce = aDsn([{ recipient: "bob@there.test" }]);

  expect(await take(id, bounce)).toBe("too_early");
  await record({});
  expect(await take(id, bounce)).toBe("bounce");
});

test("ignores replies, delay notices and bounces of unknown messages", async () => {
  const id = await aDelivered({ to: ["bob@there.test"] });
  const answer = Buffer.from("Subject: I am away\r\nAuto-Submitted: auto-replied\r\n\r\nBye\r\n");
  const delay = aDsn([{ recipient: "bob@there.test", action: "delayed", status: "4.2.1" }]);

  expect(await take(id, answer)).toBe("nothing");
  expect(await take(id, delay)).toBe("nothing");
  expect(await take(crypto.randomUUID(), aDsn([{ recipient: "bob@there.test" }]))).toBe("nothing");
  expect(await statesOf(id)).toEqual(["delivered"]);
  expect(await reports()).toEqual([]);
});

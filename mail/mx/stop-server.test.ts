import { afterEach, expect, test } from "vitest";

import { messages } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import {
  plain,
  aMailboxSender,
  submissionListeners,
} from "#server/testing/a-submission-listener.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";
import { lockMessages, untilBlocked } from "#server/testing/blocked.ts";
import { aCompany, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";

const anMxListener = mxListeners();
const aSubmissionListener = submissionListeners();
let unlock = () => {};
afterEach(() => unlock());

const CONTENT = "C\\ From: {sender}\\r\\nSubject: Hello\\r\\n\\r\\nHello\\r\\n.\\r\\n";
const MESSAGE = (recipient: string) =>
  [
    ...["C: MAIL FROM:<{sender}>", "S: 250", `C: RCPT TO:<${recipient}>`, "S: 250"],
    ...["C: DATA", "S: 354", CONTENT, "S: 250", "S: 421", "END"],
  ].join("\n");

/** Stops the listener while `text` waits for its reply and another session is idle. */
async function stopDuring(
  listener: { port: number; stop: () => Promise<void> },
  text: string,
  sender: string,
): Promise<void> {
  unlock = await lockMessages();
  const idle = smtpDialog(listener.port, "S: 220\nC: EHLO app.test\nS: 250\nS: 421\nEND");
  const talking = smtpDialog(listener.port, text, { sender });
  await untilBlocked();
  const stopped = listener.stop();
  // The idle session must end first: until then the other one can't.
  await idle;
  unlock();
  await talking;
  await stopped;
}

test("the MX listener stops after it has replied to a received message", async () => {
  const domain = await aDomain((await aCompany()).id);
  const { address: member } = await aMailbox(domain);
  const group = await aGroup(domain, { posting: "anyone", members: [member] });
  const text = ["S: 220", "C: EHLO mx.there.test", "S: 250", MESSAGE(group.address)].join("\n");
  await stopDuring(await anMxListener(), text, "ann@there.test");
  expect(await db().$count(messages)).toBe(1);
});

test("the submission listener stops after it has replied to a received message", async () => {
  const { address } = await aMailboxSender();
  const before = await db().$count(messages);
  const text = [
    ...["S: 220", "C: EHLO app.test", "S: 250", "C: STARTTLS", "S: 220", "TLS"],
    ...["C: EHLO app.test", "S: 250", `C: AUTH PLAIN ${plain(address)}`, "S: 235"],
    MESSAGE("ann@there.test"),
  ].join("\n");
  await stopDuring(await aSubmissionListener(), text, address);
  expect(await db().$count(messages)).toBe(before + 1);
});

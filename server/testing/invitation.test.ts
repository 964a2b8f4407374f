// cspell:ignore PARTSTAT RSVP Jürgen
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import type { Mailbox } from "#drizzle/schema/index.ts";

import { aCalendarFront, anEvent } from "./a-calendar-server.ts";
import { aDovecot, type TestDovecot } from "./a-dovecot.ts";
import { mxListeners } from "./an-mx-listener.ts";
import { submissionListeners } from "./a-submission-listener.ts";
import { aCompany, aDomain, aMailbox } from "./factories.ts";
import { signIn } from "./mail-app.ts";
import { messagePumps } from "./message-pump.ts";
import { outsideMail } from "./outside-mail.ts";
import { outsideDns } from "./signed-mail.ts";

// Invitations by email (RFC 6047): apps send them, and store the event and the answers in the calendars themselves.

const { aSink, aCarrier } = outsideMail();
const pumps = messagePumps();
const aSubmission = submissionListeners();
const anMx = mxListeners();
const { resolver } = await outsideDns({
  "there.test": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
});
let dav: Awaited<ReturnType<typeof aCalendarFront>>;
let dovecot: TestDovecot;
let ann: Mailbox;
let bob: Mailbox;

beforeAll(async () => {
  dav = await aCalendarFront();
  dovecot = await aDovecot();
});
afterAll(() => Promise.all([dav.stop(), dovecot.stop()]));
beforeEach(async () => {
  const domain = await aDomain((await aCompany()).id);
  [ann, bob] = [await aMailbox(domain), await aMailbox(domain)];
});

const lunch = (answer: string, organizer = ann.address) =>
  anEvent(
    "lunch",
    "Lunch with Jürgen",
    "RRULE:FREQ=WEEKLY;COUNT=3",
    `ORGANIZER;CN=Ann:mailto:${organizer}`,
    `ATTENDEE;CN=Bob;ROLE=REQ-PARTICIPANT;RSVP=TRUE;PARTSTAT=${answer}:\r\n mailto:${bob.address}`,
  );

/** A message as apps send it: the calendar part names the method. */
function messageOf(method: string, event: string, encode?: "base64"): string {
  const content = event.replace("VERSION", `METHOD:${method}\r\nVERSION`);
  return [
    "--x",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Lunch with Jürgen ",
    "--x",
    `Content-Type: text/calendar; charset="utf-8"; method=${method}`,
    `Content-Transfer-Encoding: ${encode ?? "8bit"}`,
    "",
    encode ? Buffer.from(content).toString(encode).replaceAll(/.{76}/g, "$&\r\n") : content,
    "--x--",
    "",
  ].join("\r\n");
}

async function send(port: number, from: string, to: string, body: string, options = {}) {
  const app = createTransport({ host: "127.0.0.1", port, ...options });
  const header = `From: ${from}\r\nTo: ${to}\r\nSubject: Lunch\r\nMessage-ID: <${crypto.randomUUID()}@app.test>\r\nDate: Mon, 30 Nov 2026 10:00:00 +0000\r\n`;
  const type = "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=x\r\n";
  await app.sendMail({ envelope: { from, to }, raw: `${header}${type}\r\n${body}` });
}

async function sendFromApp({ address: user }: Mailbox, to: string, body: string) {
  const { port } = await aSubmission({ isImplicitTls: true });
  const auth = { user, pass: "test password" };
  await send(port, user, to, body, { secure: true, auth, tls: { rejectUnauthorized: false } });
}

/** The bodies of the messages in a mailbox, once there is one. */
async function receive({ address }: Mailbox): Promise<string[]> {
  const app = await signIn(dovecot.imap, address);
  await app.mailboxOpen("INBOX");
  const mails = await vi.waitFor(async () => {
    const found = await app.fetchAll("1:*", { source: true });
    expect(found).not.toEqual([]);
    return found;
  });
  await app.logout();
  return mails.map(({ source }) => source!.toString().replace(/^[^]*?\r\n\r\n/, ""));
}

/** A calendar app of the mailbox, and its calendar. */
async function anApp(mailbox: Mailbox) {
  const client = await dav.client("caldav", mailbox);
  const [calendar] = await client.fetchCalendars();
  return { client, calendar: calendar! };
}

async function store(mailbox: Mailbox, iCalString: string): Promise<void> {
  const { client, calendar } = await anApp(mailbox);
  const stored = { calendar, filename: "lunch.ics", iCalString };
  expect((await client.createCalendarObject(stored)).status).toBe(201);
}

async function readEvent(mailbox: Mailbox) {
  const { client, calendar } = await anApp(mailbox);
  const [event, ...others] = await client.fetchCalendarObjects({ calendar });
  expect(others).toEqual([]);
  return { client, event: event!, text: String(event!.data).replaceAll(/\r?\n /g, "") };
}

test("an invitation and its answer reach the other mailbox as they were sent, and stay in both calendars", async () => {
  await pumps.start({ carrier: await aCarrier(await aSink()), dataFolder: dovecot.dataFolder });
  await store(ann, lunch("NEEDS-ACTION"));
  const invitation = messageOf("REQUEST", lunch("NEEDS-ACTION"));
  await sendFromApp(ann, bob.address, invitation);
  expect(await receive(bob)).toEqual([invitation]);

  await store(bob, lunch("ACCEPTED"));
  const answer = messageOf("REPLY", lunch("ACCEPTED"));
  await sendFromApp(bob, ann.address, answer);
  expect(await receive(ann)).toEqual([answer]);

  const { client, event } = await readEvent(ann);
  const calendarObject = { ...event, data: lunch("ACCEPTED") };
  expect((await client.updateCalendarObject({ calendarObject })).ok).toBe(true);
  // Another app of Ann.
  const { text } = await readEvent(ann);
  expect(text).toMatch(new RegExp(`ATTENDEE[^\\r]*PARTSTAT=ACCEPTED[^\\r]*:mailto:${bob.address}`));
  expect(text).toContain("SUMMARY:Lunch with Jürgen");
  expect((await readEvent(bob)).text).toContain(`ORGANIZER;CN=Ann:mailto:${ann.address}`);
});

test.each([
  ["8bit", undefined],
  ["base64", "base64"],
] as const)(
  "an invitation from another server and its answer keep their bytes (%s)",
  async (_, encoding) => {
    const sink = await aSink();
    await pumps.start({ carrier: await aCarrier(sink), dataFolder: dovecot.dataFolder });
    const organizer = "olga@there.test";
    const { port } = await anMx({ dataFolder: dovecot.dataFolder, resolver });
    const invitation = messageOf("REQUEST", lunch("NEEDS-ACTION", organizer), encoding);
    await send(port, organizer, bob.address, invitation, { ignoreTLS: true });
    expect(await receive(bob)).toEqual([invitation]);

    await store(bob, lunch("DECLINED", organizer));
    const answer = messageOf("REPLY", lunch("DECLINED", organizer), encoding);
    await sendFromApp(bob, organizer, answer);
    await vi.waitFor(() => expect(sink.messages).toHaveLength(1));
    expect(sink.messages[0]!.recipients).toEqual([organizer]);
    expect(sink.messages[0]!.raw.toString()).toContain(`\r\n\r\n${answer}`);
  },
);

import { setTimeout as delay } from "node:timers/promises";

import { createTransport } from "nodemailer";

import { type Company, PASSWORD } from "./company.ts";
import { OUTSIDE_DOMAIN } from "./outside.ts";
import { type Handed, type Kind, subjectOf } from "./traffic.ts";

/** A permanent error: the client won't retry. */
export class Refused extends Error {
  override name = "Refused";
}

/** A client that submits messages of one kind, a few at a time. */
export type Sender = {
  kind: Kind;
  size: number;
  /** Where a message goes, and who must get a copy, by its number. */
  addressed: (number: number) => Pick<Handed, "to" | "recipients">;
  /**
   * Resolves when every message was answered with 2xx or 250.
   *
   * @throws Refused for a permanent error, any other error when there was no answer
   */
  send(messages: Handed[]): Promise<void>;
};

export type Ports = { web: number; smtp: number; submissions: number };

const API_RETRY_MS = 200;
const API_PATIENCE_MS = 120_000;
const ANSWER_TIMEOUT_MS = 30_000;
const STRANGER = `stranger@${OUTSIDE_DOMAIN}`;

export function sendersOf(company: Company, ports: Ports): Sender[] {
  const { ann, bob, copyForwarders, forwarders, group, outsider, apiKey } = company;
  const post = (path: string, key: string, body: unknown) =>
    callApi({ url: `http://127.0.0.1:${ports.web}${path}`, apiKey, key, body });
  const emailOf = (message: Handed) => ({
    from: ann,
    to: message.to,
    subject: subjectOf(message),
    text: "Sent while the server was failing.",
  });
  const asAnn = { user: ann, pass: PASSWORD };
  const asProgram = { user: "posthouse", pass: apiKey };
  const viaMx = one((message) => sendMail(message, { port: ports.smtp, from: STRANGER }));
  const viaSubmission = (auth: Auth) =>
    one((message) => sendMail(message, { port: ports.submissions, auth, from: ann }));
  const all = direct([ann, outsider]);
  const outside = direct([outsider]);

  return [
    {
      kind: "api",
      size: 1,
      addressed: all,
      send: ([email]) => post("/emails", email!.token, emailOf(email!)),
    },
    {
      kind: "batch",
      size: 3,
      addressed: outside,
      send: (emails) => post("/emails/batch", emails[0]!.token, emails.map(emailOf)),
    },
    {
      kind: "scheduled",
      size: 1,
      addressed: outside,
      send: ([email]) =>
        post("/emails", email!.token, { ...emailOf(email!), scheduled_at: "in 6 seconds" }),
    },
    { kind: "key", size: 1, addressed: outside, send: viaSubmission(asProgram) },
    {
      kind: "submission",
      size: 1,
      addressed: direct([bob, outsider]),
      send: viaSubmission(asAnn),
    },
    { kind: "inbound", size: 1, addressed: direct([bob]), send: viaMx },
    {
      kind: "group",
      size: 1,
      send: viaMx,
      addressed: () => ({ to: [group], recipients: [ann, outsider] }),
    },
    {
      kind: "forward",
      size: 1,
      send: viaMx,
      addressed(number) {
        const keeper = copyForwarders[number % copyForwarders.length]!;
        return { to: [keeper], recipients: [keeper, outsider] };
      },
    },
    {
      kind: "forward",
      size: 1,
      send: viaMx,
      addressed: (number) => ({
        to: [forwarders[number % forwarders.length]!],
        recipients: [outsider],
      }),
    },
  ];
}

const direct =
  (to: string[]): Sender["addressed"] =>
  () => ({ to, recipients: to });

function one(send: (message: Handed) => Promise<void>): Sender["send"] {
  return ([message]) => send(message!);
}

type Call = { url: string; apiKey: string; key: string; body: unknown };

/** Retries the call with its idempotency key until it is answered, as the SDKs do. */
async function callApi(call: Call): Promise<void> {
  const deadline = Date.now() + API_PATIENCE_MS;
  while (Date.now() < deadline) {
    const { status, text } = await callOnce(call).catch(() => ({ status: 0, text: "" }));
    if (status === 200) return;
    const mayRepeat = status < 400 || status >= 500 || status === 409 || status === 429;
    if (!mayRepeat) throw new Refused(`${status} ${text}`);
    await delay(API_RETRY_MS);
  }
  throw new Error("The API did not answer");
}

/** The call counts as answered only once the whole body has arrived. */
async function callOnce({ url, apiKey, key, body }: Call) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  return { status: response.status, text: await response.text() };
}

type Auth = { user: string; pass: string };
type Submission = { port: number; auth?: Auth; from: string };

/** Never retried: the next message is a new one. */
async function sendMail(message: Handed, { port, auth, from }: Submission): Promise<void> {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    secure: auth !== undefined,
    ignoreTLS: true,
    auth,
    tls: { rejectUnauthorized: false },
    connectionTimeout: ANSWER_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
  });
  try {
    await transport.sendMail({
      envelope: { from, to: message.to },
      raw: messageText(message, from),
    });
  } catch (error) {
    const code = responseCodeOf(error);
    if (code >= 500) throw new Refused(String(error), { cause: error });
    throw error;
  }
}

function responseCodeOf(error: unknown): number {
  return error instanceof Error && "responseCode" in error ? Number(error.responseCode) : 0;
}

function messageText(message: Handed, from: string): string {
  return [
    `From: ${from}`,
    `To: ${message.to.join(", ")}`,
    `Subject: ${subjectOf(message)}`,
    `Message-ID: <${message.token}@${OUTSIDE_DOMAIN}>`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    "",
    "Sent while the server was failing.\r\n",
  ].join("\r\n");
}

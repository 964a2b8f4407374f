/**
 * Measures composing and signing one email of 4 KB with text and html, next to nodemailer's composer and
 * signer. The two alternate; the result is the median of the rounds.
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";

import { createTransport } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer/index.js";

import {
  type ComposableEmail,
  composeMessage,
} from "#server/core/sending/compose/compose-message.ts";
import { signMessage } from "#worker/delivery/dkim.ts";

import { median } from "./summary.ts";

const EMAILS = 2_000;
const AT_ONCE = 50;
const ROUNDS = 5;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const [domain, selector] = ["shop.example", "s2026"];
const signer = { domain, keys: [{ selector, privateKey }] };
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const sentence = "Thank you for your order, it left our warehouse this morning. ";
const text = `${sentence.repeat(2)}\n`.repeat(12);
const html = `<html><body>${`<p style="margin:0">${sentence}<b>Shop</b></p>\n`.repeat(28)}</body></html>`;

const anEmail = (i: number): ComposableEmail => ({
  messageId: `<${i}@shop.example>`,
  date: new Date(),
  addressHeaders: {
    from: { name: "Shop", address: "orders@shop.example" },
    to: [{ name: "Ann Lee", address: `ann${i}@example.org` }],
    cc: [],
    replyTo: [],
  },
  subject: `Your order ${i} is on its way`,
  html,
  text,
  headers: { "List-Unsubscribe": "<https://shop.example/unsubscribe>" },
  attachments: [],
  tracking: null,
});

const optionsOf = ({ addressHeaders, ...email }: ComposableEmail) => ({
  ...addressHeaders,
  messageId: email.messageId,
  date: email.date,
  subject: email.subject,
  html,
  text,
  headers: email.headers,
});

const libraryTransport = createTransport({
  streamTransport: true,
  buffer: true,
  newline: "windows",
  dkim: { domainName: domain, keySelector: selector, privateKey: pem },
});

const rsa = promisify<string, Buffer, KeyObject, Buffer>(sign);

const subjects: Record<string, (i: number) => Promise<unknown>> = {
  "RSA operation alone": () => rsa("sha256", Buffer.from(sentence), privateKey),
  "compose, ours": (i) => composeMessage(anEmail(i)),
  "compose, nodemailer": (i) => new MailComposer(optionsOf(anEmail(i))).compile().build(),
  "compose + sign, ours": async (i) =>
    signMessage(await composeMessage(anEmail(i)), signer, { now: new Date(), isAutomated: true }),
  "compose + sign, nodemailer": (i) => libraryTransport.sendMail(optionsOf(anEmail(i))),
};

type Cost = { wallMs: number; cpuMs: number };

/** Per email, with many in flight as in the pump. CPU includes the thread pool. */
async function costOf(work: (i: number) => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < EMAILS; i += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, j) => work(i + j)));
  }
  const wallMs = (performance.now() - start) / EMAILS;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 / EMAILS };
}

const costs = Object.fromEntries(Object.keys(subjects).map((name) => [name, [] as Cost[]]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, work] of Object.entries(subjects)) {
    const cost = await costOf(work);
    // The first round warms up.
    if (round > 0) costs[name]!.push(cost);
  }
}

const wallMs = (name: string) => median(costs[name]!.map((cost) => cost.wallMs));
const message = await composeMessage(anEmail(1));
console.log(
  `${EMAILS} emails of ${message.length} bytes, ${AT_ONCE} at once, median of ${ROUNDS} rounds`,
);
for (const [name, rounds] of Object.entries(costs)) {
  const cpuMs = median(rounds.map((cost) => cost.cpuMs));
  console.log(
    `${name.padEnd(28)} ${wallMs(name).toFixed(3)} ms, ${cpuMs.toFixed(3)} ms CPU per email`,
  );
}
for (const step of ["compose", "compose + sign"]) {
  const ratio = wallMs(`${step}, nodemailer`) / wallMs(`${step}, ours`);
  console.log(`${step}: ${ratio.toFixed(1)} times as fast as nodemailer`);
}

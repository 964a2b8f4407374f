import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { CAUSES, type Cause } from "./causes.ts";
import { findCause, explainReply } from "./explain-reply.ts";

/** Real replies of providers and servers, each with its enhanced code. */
const REPLIES = readFileSync("worker/delivery/carrier/testdata/provider-replies.txt", "utf8")
  .trim()
  .split("\n\n")
  .slice(1)
  .map((entry) => {
    const [, means, dsn, from, text] = /^(\S+) (\S+) \S+ (.+)\n([^]+)$/.exec(entry)!;
    const lines = text!.split("\n").map((line) => line.slice(4));
    return { means, dsn: dsn!, from: from!, message: `${text!.slice(0, 3)} ${lines.join(" ")}` };
  });

const causesOf = (provider: string) =>
  REPLIES.filter(({ from }) => from === provider).map((reply) => findCause(reply));

test.each<[provider: string, causes: Cause[]]>([
  [
    "Gmail",
    [
      ...(["no_mailbox", "mailbox_disabled", "mailbox_full", "mailbox_busy"] as const),
      ...(["rate_limited", "spam", "unauthenticated", "no_reverse_name", "virus"] as const),
      "message_too_large",
      "blocklisted",
    ],
  ],
  ["Outlook.com", ["no_mailbox", "blocklisted", "blocklisted", "unauthenticated", "rate_limited"]],
  ["Hotmail (before 2017)", ["blocklisted", "no_mailbox"]],
  [
    "Microsoft 365",
    [
      ...(["no_mailbox", "no_mailbox", "blocklisted", "blocklisted"] as const),
      ...(["own_people_only", "server_busy"] as const),
    ],
  ],
  [
    "Exchange",
    [
      ...(["no_mailbox", "mailbox_full", "no_relay", "no_relay"] as const),
      ...(["message_too_large", "content_refused", "server_full"] as const),
    ],
  ],
  ["Yahoo", ["no_mailbox", "no_mailbox", "blocklisted", "rate_limited", "policy"]],
  ["iCloud", ["no_mailbox", "mailbox_full", "blocklisted", "policy", "policy"]],
  ["GMX", ["no_mailbox", "blocklisted", "policy"]],
  ["web.de", ["policy", "no_mailbox", "rate_limited"]],
  ["T-Online", ["poor_reputation", "no_mailbox", "spam"]],
  ["Mail.ru", ["no_mailbox", "mailbox_disabled", "spam"]],
  ["Proton", ["no_mailbox"]],
  ["Yandex", ["no_mailbox", "spam"]],
  ["AOL", ["no_mailbox"]],
  ["Comcast", ["no_mailbox", "blocklisted"]],
  ["Orange", ["no_mailbox", "not_wanted"]],
  [
    "Postfix",
    [
      ...(["no_mailbox", "no_mailbox", "no_relay", "blocklisted", "spf_failed"] as const),
      ...(["sender_refused", "message_too_large", "content_refused", "server_trouble"] as const),
      ...(["blocklisted", "spam"] as const),
    ],
  ],
  ["SpamAssassin", ["spam"]],
  ["Postgrey", ["greylisted"]],
  [
    "Exim",
    ["no_mailbox", "no_mailbox", "no_relay", "sender_refused", "content_refused", "server_trouble"],
  ],
  ["Sendmail", ["no_mailbox", "no_relay"]],
  ["Barracuda", ["blocklisted", "no_mailbox"]],
  ["Proofpoint", ["no_mailbox", "blocklisted", "policy"]],
  ["Mimecast", ["no_mailbox", "blocklisted", "policy", "server_trouble"]],
  ["Cisco ESA", ["address_refused", "poor_reputation"]],
  ["qmail", ["no_mailbox", "no_relay"]],
  ["Dovecot", ["no_mailbox", "mailbox_full", "server_trouble"]],
  ["Zoho", ["no_mailbox", "not_wanted"]],
  ["rspamd", ["spam"]],
  ["ClamAV milter", ["virus"]],
  ["Postscreen", ["server_trouble"]],
  ["any", ["too_many_recipients", "misunderstanding", "loop", "not_taken"]],
])("maps replies of %s to their causes", (provider, causes) => {
  expect(causesOf(provider)).toEqual(causes);
});

test("a reply about a missing address maps to a cause about the recipient", () => {
  const aboutThem: Cause[] = [
    ...(["no_mailbox", "mailbox_disabled", "mailbox_full", "takes_no_mail"] as const),
    ...(["address_refused", "not_taken"] as const),
  ];
  for (const reply of REPLIES.filter(({ means }) => means === "gone"))
    expect(aboutThem).toContain(findCause(reply));
});

describe("explains a code without text", () => {
  test.each<[dsn: string, why: string]>([
    ["5.1.1", "The mailbox does not exist at example.net."],
    ["4.1.1", "The mailbox does not exist at example.net."],
    ["5.1.2", "example.net does not exist or cannot receive mail."],
    ["5.1.10", "example.net doesn't accept any mail."],
    ["5.2.2", "The mailbox at example.net is full."],
    ["4.4.1", "No mail server of example.net answered."],
    ["4.4.2", "The connection to the mail server of example.net was lost."],
    ["4.4.3", "The mail servers of example.net could not be looked up in DNS."],
    ["4.4.7", "example.net did not accept the message in time."],
    ["4.7.5", "No mail server of example.net offered the required secure connection."],
    ["5.7.1", "example.net does not accept mail from this sender."],
    ["5.7.99", "example.net rejected the message because of its policy."],
    ["5.9.9", "example.net did not accept the message."],
    ["4.0.0", "example.net did not accept the message."],
    ["nonsense", "example.net did not accept the message."],
  ])("explains %s as %s", (dsn, why) => {
    const reply = { dsn, message: "", domain: "example.net", isDelayed: false };
    expect(explainReply(reply).why).toBe(why);
  });
});

test("ignores addresses in a reply", () => {
  const message = "550 5.0.0 <spam-policy@there.example>: no";
  expect(findCause({ dsn: "5.0.0", message })).toBe("not_taken");
});

test("gives advice for a final failure, none for a delay", () => {
  const reply = { dsn: "5.2.2", message: "452 full", domain: "example.net" };
  expect(explainReply({ ...reply, isDelayed: false }).advice).toMatch(/^Contact the recipient/);
  expect(explainReply({ ...reply, isDelayed: true }).advice).toBeNull();
});

test("explains a local failure", () => {
  expect(
    explainReply({
      dsn: "4.3.0",
      message: "The sending domain has no DKIM key",
      domain: "example.net",
      isDelayed: true,
    }).why,
  ).toBe("This server could not send the message yet: The sending domain has no DKIM key.");
});

test("explains a wait for the warm-up", () => {
  const message = "Warm-up: This server is new. Next attempt: 2026-11-24 00:00 UTC";
  const reply = { dsn: "4.3.0", message, domain: "example.net", isDelayed: true };
  expect(explainReply(reply)).toEqual({ why: `${message}.`, advice: null });
});

test("every sentence ends with a period and names the domain at most once", () => {
  for (const { why, advice } of Object.values(CAUSES)) {
    expect(why("example.net")).toMatch(/^[A-Z]?.*\.$/);
    expect(why("example.net").split("example.net").length).toBeLessThanOrEqual(2);
    if (advice !== null) expect(advice).toMatch(/^[A-Z].*\.$/);
  }
});

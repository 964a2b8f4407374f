import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import type { Failure } from "#mail/smtp/outcome.ts";
import { classifyReply, type Stage } from "./classify-reply.ts";

import type { Cause } from "./causes.ts";
import { findCause } from "./explain-reply.ts";

function classify(
  text: string,
  stage: Stage = "rcpt",
  others: Parameters<typeof classifyReply>[2] = {},
) {
  const lines = text.split("\n").map((line) => line.slice(4));
  return classifyReply({ code: Number(text.slice(0, 3)), lines }, stage, others);
}

const PROVIDER_REPLIES = readFileSync(new URL("testdata/replies.tsv", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .filter((line) => !line.startsWith("#"))
  .map((line) => {
    const [means, stage, dsn, cause, from, , text] = line.split("\t");
    const lines = text!.replaceAll("\\n", "\n");
    return { means: means!, stage: stage as Stage, dsn, cause, from, text: lines };
  });

/** What a reply means, in the words of the table. */
function meaningOf(failure: Failure): string {
  if (failure.result === "bounced") return failure.suppress ? "gone" : "bounced";
  expect(failure).toMatchObject({ result: "delayed", suppress: false });
  expect(failure.isBlock ?? false).toBe(failure.throttle === "block");
  return failure.throttle ?? (findCause(failure) === "greylisted" ? "greylisted" : "later");
}

/** Causes of replies that suppress a recipient. */
const ABOUT_RECIPIENT: Cause[] = [
  ...(["no_mailbox", "mailbox_disabled", "mailbox_full", "mailbox_moved", "no_domain"] as const),
  ...(["takes_no_mail", "address_refused", "bad_address", "not_taken"] as const),
];

describe("A reply", () => {
  test.each(PROVIDER_REPLIES)("of $from to $stage means $means: $text", (reply) => {
    const failure = classify(reply.text, reply.stage, { ehloName: "mail.here.test" });
    expect(meaningOf(failure)).toBe(reply.means);
    if (reply.dsn !== "-") expect(failure.dsn).toBe(reply.dsn);
    if (reply.cause !== "-") expect(findCause(failure)).toBe(reply.cause);
    if (reply.means === "gone") expect(ABOUT_RECIPIENT).toContain(findCause(failure));
  });

  test("that accepts the message is a delivery", () => {
    expect(classify("250 2.0.0 OK  1732149000 abc - gsmtp", "content")).toEqual({
      result: "delivered",
      dsn: "2.0.0",
      message: "250 2.0.0 OK 1732149000 abc - gsmtp",
      suppress: false,
    });
    expect(classify("250 Message queued", "content").dsn).toBe("2.0.0");
  });

  test("that accepts a command which can't be accepted is not a delivery", () => {
    expect(classify("250 OK", "data")).toMatchObject({ result: "delayed", dsn: "4.5.0" });
    expect(classify("354 Go on", "content")).toMatchObject({ result: "delayed", dsn: "4.5.0" });
  });

  test("to anything but a recipient or the message never suppresses the address", () => {
    for (const stage of ["auth", "mail", "data"] as const)
      expect(classify("550 5.1.1 User unknown", stage)).toMatchObject({
        result: "bounced",
        suppress: false,
      });
  });

  test("to the content suppresses the address only if it is about one recipient", () => {
    const gone = "550 5.1.1 <bob@there.test> User unknown";
    expect(classify(gone, "content").suppress).toBe(true);
    expect(classify(gone, "content", { isShared: true })).toMatchObject({
      result: "bounced",
      suppress: false,
    });
    for (const unclear of ["554 Transaction failed", "550 5.5.0 mailbox unavailable"])
      expect(classify(unclear, "content").suppress).toBe(false);
  });

  test.each(["552 Mailbox full", "550 5.0.0 User over quota", "550 5.7.1 inbox full"])(
    "that the mailbox is full suppresses the address: %s",
    (text) => {
      expect(classify(text)).toMatchObject({ result: "bounced", suppress: true });
    },
  );

  test.each([
    "554 5.7.1 <bob@there.test>: Recipient address rejected: Policy Rejection- Quota Exceeded",
    "550 Daily sending quota exceeded",
    "550 5.7.0 recipient rejected, for full details see https://there.test",
  ])("that a limit of the sender is exceeded suppresses no recipient: %s", (text) => {
    expect(classify(text).suppress).toBe(false);
    expect(classify(text, "content").suppress).toBe(false);
  });

  test("that there are too many recipients is temporary after one was accepted", () => {
    const isOtherAccepted = true;
    for (const text of ["552 Too many recipients", "552 Enough", "550 5.5.3 Too many recipients"])
      expect(classify(text, "rcpt", { isOtherAccepted })).toMatchObject({
        result: "delayed",
        dsn: "4.5.3",
      });
    expect(classify("552 Too many recipients").result).toBe("bounced");
    for (const text of ["552 5.2.2 Over quota", "552 Mailbox full", "552 No such user"])
      expect(classify(text, "rcpt", { isOtherAccepted }).result).toBe("bounced");
  });

  test("that rejects the connection concerns this machine, whatever its text", () => {
    for (const stage of ["greeting", "hello"] as const)
      expect(classify("550 5.1.1 User unknown", stage)).toEqual({
        result: "delayed",
        dsn: "4.1.1",
        message: "550 5.1.1 User unknown",
        suppress: false,
        isBlock: true,
        throttle: "block",
      });
  });

  test("of 521 in the greeting means that the host accepts no mail (RFC 7504), unless it mentions a block", () => {
    expect(classify("521 mx.example.org does not accept mail", "greeting")).toEqual({
      result: "bounced",
      dsn: "5.0.0",
      message: "521 mx.example.org does not accept mail",
      suppress: false,
    });
    expect(
      classify("521 5.7.1 Service unavailable; client [192.0.2.1] blocked by Spamhaus", "greeting"),
    ).toMatchObject({ result: "delayed", isBlock: true });
  });

  test("follows the class of its code if the enhanced code disagrees", () => {
    expect(classify("450 5.1.1 User unknown").dsn).toBe("4.1.1");
    expect(classify("550 4.2.2 Mailbox full").dsn).toBe("5.2.2");
  });

  test("is not classified by words inside an address", () => {
    expect(classify("550 <spam-policy@there.test>: unknown user").suppress).toBe(true);
    expect(classify("550 <user-unknown@there.test>: no").suppress).toBe(false);
  });

  test.each([
    ["192.0.2.1", "198.51.100.7", "bounced"],
    ["198.51.100.7", "198.51.100.7", "delayed"],
    ["192.0.2.1", "10.0.0.7", "delayed"],
    ["2001:db8::1", "2001:db8:0::1", "delayed"],
    ["2001:db8::1", "198.51.100.7", "bounced"],
  ])("that blocks %s, sent to %s, means %s", (named, address, result) => {
    const text = `550 5.7.1 ${named} is blacklisted`;
    expect(classify(text, "content", { address }).result).toBe(result);
  });

  test("of a mailbox store doesn't block this server, whatever a Sieve script wrote", () => {
    const text = "550 5.7.1 Client host [192.0.2.1] is blacklisted";
    expect(classify(text, "content", { isStore: true })).toMatchObject({ result: "bounced" });
  });

  test("with an IP address has no enhanced code", () => {
    expect(classify("554 5.9.1.22 is blocked").dsn).toBe("5.0.0");
  });

  test("is shortened to one line of at most 500 printable characters", () => {
    const { message } = classify(
      `550-5.1.1 No\u0007such\tuser\u202e \x1b[31m\n550 5.1.1 ${"x".repeat(900)}`,
    );
    expect(message).toHaveLength(500);
    expect(message).toMatch(/^550 5\.1\.1 No such user \[31m x+$/);
  });
});

import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { classifyReply, type Stage } from "./classify-reply.ts";

function classify(text: string, stage: Stage = "rcpt") {
  const lines = text.split("\n").map((line) => line.slice(4));
  return classifyReply({ code: Number(text.slice(0, 3)), lines }, stage);
}

const PROVIDER_REPLIES = readFileSync(
  new URL("testdata/provider-replies.txt", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n\n")
  .slice(1)
  .map((entry) => {
    const [, means, dsn, stage, from, text] =
      /^(gone|refused|blocked|later) (\S+) (greeting|mail|rcpt|content) (.+)\n([^]+)$/.exec(entry)!;
    return { means, dsn, stage: stage as Stage, from, text: text! };
  });

describe("A reply", () => {
  test.each(PROVIDER_REPLIES)("of $from is read as $means: $text", (reply) => {
    const { result, suppress, dsn, isBlock = false } = classify(reply.text, reply.stage);
    expect({ result, suppress, dsn, isBlock }).toEqual({
      result: reply.means === "blocked" || reply.means === "later" ? "delayed" : "bounced",
      suppress: reply.means === "gone",
      isBlock: reply.means === "blocked",
      dsn: reply.dsn,
    });
  });

  test("with a yes to the message is a delivery", () => {
    expect(classify("250 2.0.0 OK  1732149000 abc - gsmtp", "content")).toEqual({
      result: "delivered",
      dsn: "2.0.0",
      message: "250 2.0.0 OK 1732149000 abc - gsmtp",
      suppress: false,
    });
    expect(classify("250 Message queued", "content").dsn).toBe("2.0.0");
  });

  test("with a yes where none was possible is no delivery", () => {
    expect(classify("250 OK", "data")).toMatchObject({ result: "delayed", dsn: "4.5.0" });
    expect(classify("354 Go on", "content")).toMatchObject({ result: "delayed", dsn: "4.5.0" });
  });

  test("to anything but a recipient or the message never suppresses", () => {
    for (const stage of ["auth", "mail", "data"] as const)
      expect(classify("550 5.1.1 User unknown", stage)).toMatchObject({
        result: "bounced",
        suppress: false,
      });
  });

  test("that rejects the connection is about this machine, whatever its text", () => {
    for (const stage of ["greeting", "hello"] as const)
      expect(classify("550 5.1.1 User unknown", stage)).toEqual({
        result: "delayed",
        dsn: "4.1.1",
        message: "550 5.1.1 User unknown",
        suppress: false,
        isBlock: true,
      });
  });

  test("521 in the greeting means that the host accepts no mail (RFC 7504), unless it names a block", () => {
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

  test("takes the class of its code where the enhanced code says another", () => {
    expect(classify("450 5.1.1 User unknown").dsn).toBe("4.1.1");
    expect(classify("550 4.2.2 Mailbox full").dsn).toBe("5.2.2");
  });

  test("is not read by the words of an address in it", () => {
    expect(classify("550 <spam-policy@there.test>: no").suppress).toBe(true);
  });

  test("does not read an IP address as an enhanced code", () => {
    expect(classify("554 5.9.1.22 is blocked").dsn).toBe("5.0.0");
  });

  test("becomes one line of at most 500 characters that shows nothing but text", () => {
    const { message } = classify(
      `550-5.1.1 No\u0007such\tuser\u202e \x1b[31m\n550 5.1.1 ${"x".repeat(900)}`,
    );
    expect(message).toHaveLength(500);
    expect(message).toMatch(/^550 5\.1\.1 No such user \[31m x+$/);
  });
});

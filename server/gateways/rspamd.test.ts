import { afterEach, beforeEach, expect, test } from "vitest";

import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";

import { countLearned, learnMessage, pingRspamd, RspamdError, scanMessage } from "./rspamd.ts";

let rspamd: FakeRspamd;
const message = {
  content: Buffer.from("From: ann@example.org\r\n\r\nÜ\r\n"),
  sender: "ann@example.org",
  recipients: ["bob@corp.example", "cy@corp.example"],
  helo: "mx.example.org",
  clientAddress: "198.51.100.7",
  hostName: "out.example.org",
};

beforeEach(async () => {
  rspamd = await aRspamd();
});

afterEach(() => rspamd.stop());

test("sends rspamd the message unchanged with its envelope, and parses its response", async () => {
  rspamd.answer = { score: 7.5, symbols: { FORGED_SENDER: 2, MIME_GOOD: -0.1 }, smtpMessage: "no" };

  expect(await scanMessage(rspamd.url, message)).toEqual({
    score: 7.5,
    rejectScore: 15,
    action: "add header",
    symbols: [
      { name: "FORGED_SENDER", score: 2 },
      { name: "MIME_GOOD", score: -0.1 },
    ],
    text: "no",
  });
  expect(rspamd.asked).toMatchObject([
    {
      path: "/checkv2",
      content: "From: ann@example.org\r\n\r\nÜ\r\n",
      headers: {
        ip: "198.51.100.7",
        helo: "mx.example.org",
        hostname: "out.example.org",
        from: "<ann@example.org>",
        rcpt: "<bob@corp.example>, <cy@corp.example>",
      },
    },
  ]);
  // With a user, rspamd would treat the message as authenticated outgoing mail.
  expect(rspamd.asked[0]!.headers).not.toHaveProperty("user");
});

test("prevents header injection and non-ASCII characters in envelope headers", async () => {
  const sender = "jürgen@bücher.example";
  await scanMessage(rspamd.url, { ...message, helo: "a\r\nUser: x", sender });

  const { headers } = rspamd.asked[0]!;
  expect(headers).toMatchObject({ helo: "a__User: x", from: "<j_rgen@xn--bcher-kva.example>" });
  expect(headers).not.toHaveProperty("user");
});

test("sends the null sender explicitly, because a missing one would add to the score", async () => {
  await scanMessage(rspamd.url, { ...message, sender: "" });
  expect(rspamd.asked[0]!.headers.from).toBe("<>");
});

test.each([
  ["an error", 500],
  ["what is not JSON", "garbage"],
] as const)("%s is a failure of a running rspamd", async (_, answer) => {
  rspamd.answer = answer;
  await expect(scanMessage(rspamd.url, message)).rejects.toMatchObject({ isThere: true });
});

test("timeouts and refused connections are failures", async () => {
  rspamd.answer = "nothing";
  const silent = scanMessage(rspamd.url, message, { timeoutMs: 50 });
  await expect(silent).rejects.toThrow(/no answer in time/);
  await expect(silent).rejects.toMatchObject({ isThere: false });
  await rspamd.stop();
  const gone = scanMessage(rspamd.url, message);
  await expect(gone).rejects.toThrow(/ECONNREFUSED/);
  await expect(gone).rejects.toMatchObject({ isThere: false });
  await expect(pingRspamd(rspamd.url)).rejects.toThrow(RspamdError);
});

test.each(["url", "controllerUrl"] as const)("learns if the setting is its %s", async (name) => {
  await learnMessage(rspamd[name], "spam", message.content);
  await learnMessage(rspamd[name], "ham", message.content);
  const paths = rspamd.asked.map(({ path }) => path);
  const one = name === "url" ? 2 : 1;
  expect(paths).toEqual([
    ...Array<string>(one).fill("/learnspam"),
    ...Array<string>(one).fill("/learnham"),
  ]);
  expect(rspamd.asked.at(-1)!.content).toBe(message.content.toString());
});

test.each([
  ["redis", "known"],
  ["sqlite3", "known"],
  [null, "declined"],
] as const)("counts only learned messages (backend: %s)", async (backend, second) => {
  rspamd.backend = backend;
  const first = backend === null ? "declined" : "learned";
  expect(await learnMessage(rspamd.url, "spam", message.content)).toBe(first);
  expect(await learnMessage(rspamd.url, "spam", message.content)).toBe(second);
  const spam = backend === null ? 0 : 1;
  expect(await countLearned(rspamd.url)).toEqual({ spam, ham: 0 });
  expect(await countLearned(rspamd.controllerUrl)).toEqual({ spam, ham: 0 });
});

test("returns its version", async () => {
  expect(await pingRspamd(rspamd.url)).toBe("3.4");
  expect(await pingRspamd(rspamd.controllerUrl)).toBe("3.4");
});

import { once } from "node:events";
import { connect } from "node:net";

import { describe, expect, test } from "vitest";

import { anSmtpSink, type SinkSettings } from "./smtp-sink.ts";

/** Sends each piece after the reply to the previous one, then closes. */
async function converse(pieces: string[], settings: Partial<SinkSettings> = {}) {
  const sink = await anSmtpSink(settings);
  const socket = connect(sink.port, sink.host);
  for (const piece of pieces) {
    await once(socket, "data");
    socket.write(piece);
  }
  await once(socket, "data");
  socket.destroy();
  return sink;
}

const ENVELOPE = ["EHLO x\r\n", "MAIL FROM:<a@x.test>\r\n", "RCPT TO:<b@y.test>\r\n", "DATA\r\n"];

describe("The test SMTP server", () => {
  test("stores the message with dot-stuffing removed", async () => {
    const sink = await converse([...ENVELOPE, "..a\r\nb\r\n...\r\n.\r\n"]);
    await sink.close();
    expect(sink.messages[0]?.raw.toString()).toBe(".a\r\nb\r\n..\r\n");
    expect(sink.received("b@y.test")).toBe(1);
  });

  test.each([
    ["a bare LF", "a\nb\r\n.\r\n", /bare LF/],
    ["a bare CR", "a\rb\r\n.\r\n", /bare CR/],
    ["a dot that was not stuffed", "a\r\n.b\r\n.\r\n", /dot not stuffed/],
  ])("fails the test if a client sends %s", async (_, content, complaint) => {
    const sink = await converse([...ENVELOPE, content]);
    await expect(sink.close()).rejects.toThrow(complaint);
  });

  test("fails the test if a client pipelines where it may not", async () => {
    const without = await converse(["EHLO x\r\nMAIL FROM:<a@x.test>\r\n"], { pipelining: false });
    await expect(without.close()).rejects.toThrow(/before the answer to EHLO/);

    const behindData = await converse([...ENVELOPE.slice(0, 3), "DATA\r\nSubject: x\r\n"]);
    await expect(behindData.close()).rejects.toThrow(/before the answer to DATA/);
  });

  test("fails the test if a client's command ends in LF only", async () => {
    const sink = await converse(["EHLO x\n"]);
    await expect(sink.close()).rejects.toThrow(/malformed command/);
  });
});

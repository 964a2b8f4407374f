import { describe, expect, test } from "vitest";

import { MalformedReply, ReplyReader } from "./reply.ts";

const read = (...chunks: string[]) => {
  const reader = new ReplyReader();
  return chunks.flatMap((chunk) => [...reader.read(Buffer.from(chunk))]);
};

describe("Reply parsing", () => {
  test("gives the same result however the bytes are split", () => {
    const bytes = Buffer.from("250-mx.test\r\n250 Grüße\r\n354 Go on\r\n");
    const whole = [
      { code: 250, lines: ["mx.test", "Grüße"] },
      { code: 354, lines: ["Go on"] },
    ];
    for (let at = 0; at <= bytes.length; at++) {
      const reader = new ReplyReader();
      const halves = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(halves.flatMap((half) => [...reader.read(half)])).toEqual(whole);
    }
  });

  test("accepts replies without text, and lines that end in LF only", () => {
    expect(read("250\r\n", "220 \n")).toEqual([
      { code: 250, lines: [""] },
      { code: 220, lines: [""] },
    ]);
  });

  test.each(["HTTP/1.1 400 Bad Request\r\n", "999 What\r\n", "250ok\r\n", "\r\n", "\x16\x03\n"])(
    "rejects %j",
    (text) => expect(() => read(text)).toThrow(MalformedReply),
  );

  test("limits the size of a reply, in one line or many", () => {
    expect(() => read("2".repeat(70_000))).toThrow(MalformedReply);
    expect(() => read("250-x\r\n".repeat(20_000))).toThrow(MalformedReply);
  });
});

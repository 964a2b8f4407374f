import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ContentReader, findByteFault, unstuffDots } from "#server/testing/smtp-sink-bytes.ts";

import { encodeContent, hasBareLineBreak } from "./content.ts";

/** Texts with dots and line ends in every position. */
const texts = fc
  .array(fc.constantFrom(".", "..", "\r\n", "\r\n.", "a", "é", " "), { maxLength: 60 })
  .map((parts) => parts.join(""));

describe("Content in SMTP's DATA", () => {
  test("is decoded to the original message, whatever dots it contains", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const whole = Buffer.concat([
          ...encodeContent(Buffer.from(text)),
          Buffer.from("MAIL FROM:<>\r\n"),
        ]);
        const found = new ContentReader().read(whole);
        expect(found?.rest.toString()).toBe("MAIL FROM:<>\r\n");
        expect(findByteFault(found!.wire)).toBeNull();
        const ended = text === "" || text.endsWith("\r\n") ? text : `${text}\r\n`;
        expect(unstuffDots(found!.wire).toString()).toBe(ended);
      }),
      { numRuns: 1000 },
    );
  });

  test("is sent in few chunks", () => {
    expect(encodeContent(Buffer.from(".\r\n".repeat(1000)))).toHaveLength(2);
  });
});

describe("Bare line breaks", () => {
  test.each(["\n", "\r", "a\r\r\n", "a\n\r\n", "a\r\nb\n", "a\r\nb\r", "\r\n.\n", "\n.\r\n"])(
    "are found in %j",
    (text) => expect(hasBareLineBreak(Buffer.from(text))).toBe(true),
  );

  test.each(["", "a", "\r\n", "a\r\n\r\n.\r\n"])("are not found in %j", (text) =>
    expect(hasBareLineBreak(Buffer.from(text))).toBe(false),
  );
});

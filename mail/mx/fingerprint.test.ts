import { Message } from "#server/core/shared/mime/message.ts";
import { expect, test } from "vitest";

import { fingerprintOf } from "./fingerprint.ts";

test.each([
  [["Message-ID: <1@there.test>"], true],
  [["DATE: Fri, 27 Nov 2026 03:00:00 +0000"], true],
  [["Subject: Motion detected"], false],
  [["Message-ID:", "Date: "], false],
])("a message with %s is recognized in another transaction: %s", (fields, isSame) => {
  const text = ["From: cam@there.test", ...fields, "", "Date: today", ""].join("\r\n");
  const [first, second] = ["a.1", "b.1"].map((id) =>
    fingerprintOf(new Message(Buffer.from(text)), { id, sender: "cam@there.test" }),
  );
  expect(first === second).toBe(isSame);
});

import { expect, test } from "vitest";

import { Message } from "./message.ts";

test("keeps the last letter of a UTF-8 subject, whatever its last octet", () => {
  expect(new Message(Buffer.from("Subject:\t Et voilà \r\n\r\n")).header.subject).toBe("Et voilà");
});

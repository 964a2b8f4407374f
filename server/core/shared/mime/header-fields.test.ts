import { expect, test } from "vitest";

import { readHeader } from "./read-header.ts";

test("keeps the last letter of a UTF-8 subject, whatever its last octet", () => {
  expect(readHeader(Buffer.from("Subject:\t Et voilà \r\n\r\n")).subject).toBe("Et voilà");
});

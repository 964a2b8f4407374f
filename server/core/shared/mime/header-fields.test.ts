import { expect, test } from "vitest";

import { readHeader } from "./read-header.ts";

test("a UTF-8 subject keeps its last letter, whatever octet it ends in", () => {
  expect(readHeader(Buffer.from("Subject:\t Et voilà \r\n\r\n")).subject).toBe("Et voilà");
});

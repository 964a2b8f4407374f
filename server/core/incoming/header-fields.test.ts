import { expect, test } from "vitest";

import { readHeader } from "./read-header.ts";

test("a subject in UTF-8 keeps its last letter, whatever octet that ends with", () => {
  expect(readHeader(Buffer.from("Subject:\t Et voilà \r\n\r\n")).subject).toBe("Et voilà");
});

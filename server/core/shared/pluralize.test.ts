import { expect, test } from "vitest";

import { pluralize } from "./pluralize.ts";

test("only 1 is singular", () => {
  expect([0, 1, 2, 1_200].map((count) => pluralize(count, "message"))).toEqual([
    ...["0 messages", "1 message", "2 messages", "1,200 messages"],
  ]);
  expect([1, 2].map((count) => pluralize(count, "mailbox", "mailboxes"))).toEqual([
    ...["1 mailbox", "2 mailboxes"],
  ]);
});

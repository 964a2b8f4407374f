import { expect, test } from "vitest";

import { hasBeenThere } from "./has-been-there.ts";

const ann = {
  ...{ is: "mailbox", address: "sales@corp.test", mailbox: "ann@corp.test" },
  ...{ companyId: "c", isFull: false },
} as Parameters<ReturnType<typeof hasBeenThere>>[0];

const message = (value: string) =>
  Buffer.from(`Delivered-To: ${value}\r\nSubject: Round\r\n\r\nRound\r\n`);

test.each(["ann@corp.test", "Ann@Corp.TEST", "<ANN@corp.test>", "Sales@corp.test"])(
  "a message that was delivered to %s has been in the mailbox",
  (value) => {
    expect(hasBeenThere(message(value))(ann)).toBe(true);
  },
);

test("a message that was delivered elsewhere has not been in the mailbox", () => {
  expect(hasBeenThere(message("bob@corp.test"))(ann)).toBe(false);
});

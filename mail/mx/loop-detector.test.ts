import { Message } from "#server/core/shared/mime/message.ts";
import { expect, test } from "vitest";

import { loopDetector } from "./loop-detector.ts";

const ann = {
  ...{ kind: "mailbox", address: "sales@corp.test", mailbox: "ann@corp.test" },
  ...{ companyId: "c", isFull: false, storeHost: null, isCatchAll: false },
} as Parameters<ReturnType<typeof loopDetector>>[0];

const message = (value: string) =>
  new Message(Buffer.from(`Delivered-To: ${value}\r\nSubject: Round\r\n\r\nRound\r\n`));

test.each(["ann@corp.test", "Ann@Corp.TEST", "<ANN@corp.test>", "Sales@corp.test"])(
  "a message that was delivered to %s has been in the mailbox",
  (value) => {
    expect(loopDetector(message(value))(ann)).toBe(true);
  },
);

test("a message that was delivered elsewhere has not been in the mailbox", () => {
  expect(loopDetector(message("bob@corp.test"))(ann)).toBe(false);
});

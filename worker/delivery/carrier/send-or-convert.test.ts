import { expect, test } from "vitest";

import { sendOrConvert } from "./send-or-convert.ts";

test("an error while a message is converted delays it, because a part of it may be delivered already", async () => {
  const transaction = { from: "", recipients: ["ann@there.test"], message: Buffer.from("ä") };
  const convert = () => Promise.reject(new Error("no key"));
  const [outcome] = await sendOrConvert(transaction, convert, () =>
    Promise.resolve({ lacks: "eightBit", peer: "mx.there.test" }),
  );
  expect(outcome).toMatchObject({
    ...{ result: "delayed", dsn: "4.3.0" },
    message: "The message could not be converted to ASCII: Error: no key",
  });
});

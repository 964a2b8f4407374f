import { Readable } from "node:stream";

import type { SMTPServerDataStream } from "smtp-server";
import { expect, test } from "vitest";

import { withMessage } from "./collect-message.ts";

const streamOf = (pieces: number) =>
  Object.assign(Readable.from(Array.from({ length: pieces }, () => Buffer.from("x"))), {
    sizeExceeded: false,
  }) as unknown as SMTPServerDataStream;

test("a message in too many pieces takes no more memory than a large one, and gives it back", async () => {
  const length = (message: Buffer) => Promise.resolve(message.length);
  await expect(withMessage(streamOf(300_000), length)).rejects.toMatchObject({
    responseCode: 452,
  });
  expect(await withMessage(streamOf(200_000), length)).toBe(200_000);
});

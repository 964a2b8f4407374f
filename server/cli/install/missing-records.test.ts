import { PassThrough } from "node:stream";

import { expect, test } from "vitest";

import { Display } from "#server/cli/display.mjs";

import { waitForRecords } from "./missing-records.ts";

test("waiting shows each record when it appears, and ends with those that never did", async () => {
  const record = (name: string) => ({ type: "A" as const, name, value: "1", purpose: "" });
  const [first, second, third] = ["first", "second", "third"].map(record);
  const answers = [[first!, second!, third!], [second!, third!], [third!]];
  let shown = "";
  const stream = new PassThrough();
  stream.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  const left = await waitForRecords([first!, second!, third!], {
    find: () => Promise.resolve(answers.shift() ?? [third!]),

    display: new Display(stream as unknown as NodeJS.WriteStream),
    timeoutMs: 200,
    pollMs: 10,
  });
  expect(left).toEqual([third]);
  expect(shown).toBe("✓ A first\n✓ A second\n");
});

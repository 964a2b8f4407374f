import { expect, test, vi } from "vitest";

import { parseBody } from "./read-body.ts";

/** Large enough to be parsed in the thread. */
const PADDING = "x".repeat(300_000);

const parse = (body: string) => parseBody(Buffer.from(body));

test("a large body has the same value as a small one", async () => {
  const fields = String.raw`"to":["a"],"__proto__":{"a":1},"a":"é \"\\","n":[1,-0.5,null,true]`;
  const small = (await parse(`{${fields}}`)) as object;
  const { padding, ...large } = (await parse(`{${fields},"padding":"${PADDING}"}`)) as {
    padding: string;
  };
  expect(padding).toBe(PADDING);
  expect(large).toEqual(small);
  expect(Object.keys(large)).toEqual(["to", "__proto__", "a", "n"]);
});

test.each([
  [String.raw`["Hello \ud83d"]`, ["Hello \ufffd"]],
  [String.raw`["\uDE00\uD83D!", {"\ud83d": 1}]`, ["\ufffd\ufffd!", { "\ufffd": 1 }]],
  [String.raw`["\ud83d\ude00", "\ud83d\ud83d\ude00"]`, ["😀", "\ufffd😀"]],
  [String.raw`["\\ud83d", "\\\ud83d", "\\\\ud83d\""]`, ["\\ud83d", "\\\ufffd", '\\\\ud83d"']],
])("an unpaired surrogate becomes U+FFFD: %s", async (body, value) => {
  expect(await parse(body)).toEqual(value);
  expect(await parse(`[${body},"${PADDING}"]`)).toEqual([value, PADDING]);
});

test("a file given as a list of bytes arrives as bytes", async () => {
  const list = `[${"80,".repeat(400_000)}75]`;
  const bytes = new Uint8Array(400_001).fill(80).fill(75, 400_000);
  expect(await parse(`{"attachments":[{"content":${list}}]}`)).toEqual({
    attachments: [{ content: bytes }],
  });
  expect(await parse(`{"content":{"type":"Buffer","data":${list}}}`)).toEqual({
    content: { type: "Buffer", data: bytes },
  });
});

test.each([
  ["not JSON", "", "Invalid JSON body"],
  ["nested deeply", "[".repeat(3_000_000), "The body is nested more than 64 levels deep"],
  ["of many lists", `[${"[],".repeat(3_000_000)}`, "The body has more than 200000 values"],
  [
    "a list of many numbers",
    `{"to":[${"1,".repeat(400_000)}1]}`,
    "The body has a list of more than 200000 numbers",
  ],
  ["with NUL", String.raw`["\u0000"]`, "The body contains a NUL character"],
])("rejects a large body %s", async (_, body, message) => {
  const padding = " ".repeat(300_000);
  await expect(parse(body + padding)).rejects.toMatchObject({ reason: "invalid", message });
});

test("rejects a large body that takes too long to parse, and parses the next one", async () => {
  const atOnce = ((work: () => void) => queueMicrotask(work)) as unknown as typeof setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(atOnce);
  await expect(parse(`["${PADDING}"]`)).rejects.toMatchObject({
    reason: "invalid",
    message: "The body takes too much time or memory to parse",
  });
  expect(await parse(`["${PADDING}"]`)).toEqual([PADDING]);
});

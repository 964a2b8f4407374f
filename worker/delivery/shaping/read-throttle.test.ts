import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { classifyReply } from "#worker/delivery/carrier/classify-reply.ts";

const REPLIES = readFileSync(new URL("../carrier/testdata/throttles.txt", import.meta.url), "utf8")
  .trim()
  .split("\n\n")
  .slice(1)
  .map((entry) => {
    const [, asks, from, text] = /^(connections|rate|reputation|none) (.+)\n([^]+)$/.exec(entry)!;
    return { asks: asks!, from: from!, text: text! };
  });

function classify(text: string) {
  const lines = text.split("\n").map((line) => line.slice(4));
  return classifyReply({ code: Number(text.slice(0, 3)), lines }, "mail");
}

test.each(REPLIES)("a reply of $from throttles $asks: $text", ({ asks, text }) => {
  expect(classify(text)).toMatchObject({ result: "delayed" });
  expect(classify(text).throttle ?? "none").toBe(asks);
});

test("a permanent rejection of this machine suspends the destination; of a recipient, it doesn't", () => {
  expect(
    classify("550 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org").throttle,
  ).toBe("block");
  expect(classify("550 5.1.1 User unknown: too many connections").throttle).toBeUndefined();
});

import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { curlOf } from "./curl.ts";

test("a shell reads from it the email as it was, whatever it holds", () => {
  const email = {
    subject: `It's $HOME, "quoted" \\ and \`run\``,
    text: "a\nb\n\n'",
    to: ["a@b.c"],
  };
  const command = curlOf("http://localhost:3000", email).replace(/^curl/, "printf '%s\\0'");
  const words = execFileSync("sh", ["-c", command], {
    encoding: "utf8",
    env: { ...process.env, POSTHOUSE_API_KEY: "ph_1" },
  }).split("\0");
  expect(words.slice(0, 6)).toEqual([
    "http://localhost:3000/emails",
    "-H",
    "Authorization: Bearer ph_1",
    "-H",
    "Content-Type: application/json",
    "-d",
  ]);
  expect(JSON.parse(words[6]!)).toEqual(email);
});

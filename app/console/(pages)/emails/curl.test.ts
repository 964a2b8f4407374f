import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { curlSnippet } from "./curl.ts";

test("a shell passes the email to curl unchanged, whatever characters it contains", () => {
  const email = {
    subject: `It's $HOME, "quoted" \\ and \`run\``,
    text: "a\nb\n\n'",
    to: ["a@b.c"],
  };
  const command = curlSnippet("http://localhost:3000", email).replace(/^curl/, "printf '%s\\0'");
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

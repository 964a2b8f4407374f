import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { LANGUAGES } from "./code-of.ts";

const EMAIL = {
  from: `Ann "A" O'Neil <hello@x.example>`,
  to: ["b@y.example"],
  reply_to: ["desk@x.example"],
  subject: `It's $HOME {x} \\ \`run\` %s Ü 🎉`,
  html: "<p>a</p>\n\t'\"$b\\n",
  headers: { "X-Order": "7" },
  tags: [{ name: "kind", value: "receipt" }],
  attachments: [{ filename: "a.txt", content: "eA==", content_type: "text/plain" }],
};
const URL = "https://post.example";

const has = (program: string, argument = "--version") =>
  spawnSync(program, [argument]).status === 0;

/** The text between two others. */
function between(text: string, begin: string, end: string): string {
  const from = text.indexOf(begin) + begin.length;
  return text.slice(from, text.lastIndexOf(end));
}

test("in Node.js the SDK is given the email under its own names", () => {
  const code = LANGUAGES["Node.js"]!(URL, EMAIL);
  const { reply_to: replyTo, attachments, ...rest } = EMAIL;
  expect(JSON.parse(between(code, "emails.send(", ");\nif"))).toEqual({
    ...rest,
    replyTo,
    attachments: attachments.map(({ content_type: contentType, ...file }) => ({
      ...file,
      contentType,
    })),
  });
  expect(code).toContain('baseUrl: "https://post.example"');
});

test.skipIf(!has("python3"))("in Python it is the email as it was", () => {
  const literal = between(LANGUAGES.Python!(URL, EMAIL), "json={", "},\n    timeout");
  const script = `import json; print(json.dumps({${literal}}))`;
  expect(JSON.parse(execFileSync("python3", ["-c", script], { encoding: "utf8" }))).toEqual(EMAIL);
});

test.skipIf(!has("php"))("in PHP it is the email as it was", () => {
  const literal = between(LANGUAGES.PHP!(URL, EMAIL), "json_encode([", "]),\n]);");
  const script = `echo json_encode([${literal}]);`;
  expect(JSON.parse(execFileSync("php", ["-r", script], { encoding: "utf8" }))).toEqual(EMAIL);
});

test("in PHP only quotes and backslashes are escaped", () => {
  expect(LANGUAGES.PHP!(URL, { subject: `It's \\ $x` })).toContain(
    String.raw`'subject' => 'It\'s \\ $x',`,
  );
});

test.skipIf(!has("go", "version"))("in Go it is a program", () => {
  const file = join(mkdtempSync(join(tmpdir(), "posthouse-go-")), "main.go");
  writeFileSync(file, LANGUAGES.Go!(URL, EMAIL));
  expect(execFileSync("gofmt", ["-e", file], { encoding: "utf8" })).toContain("package main");
});

test("in no language is there a key", () => {
  for (const code of Object.values(LANGUAGES)) {
    expect(code(URL, EMAIL)).toContain("POSTHOUSE_API_KEY");
    expect(code(URL, EMAIL)).not.toContain("ph_");
  }
});

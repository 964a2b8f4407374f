import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { CODE_SNIPPETS, curlSnippet } from "./email-code.ts";

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

function between(text: string, begin: string, end: string): string {
  const from = text.indexOf(begin) + begin.length;
  return text.slice(from, text.lastIndexOf(end));
}

test("the Node.js snippet passes the email under the SDK's field names", () => {
  const code = CODE_SNIPPETS["Node.js"]!(URL, EMAIL);
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

test("the Python snippet contains the whole email", () => {
  const literal = between(CODE_SNIPPETS.Python!(URL, EMAIL), "json={", "},\n    timeout");
  const script = `import json; print(json.dumps({${literal}}))`;
  expect(JSON.parse(execFileSync("python3", ["-c", script], { encoding: "utf8" }))).toEqual(EMAIL);
});

/** Parses another language's literal: `inJson` maps each matched token to JSON; trailing commas go. */
const asJson = (literal: string, tokens: RegExp, inJson: (token: string) => string) =>
  JSON.parse(literal.replace(tokens, inJson).replace(/,(?=\s*[\]}])/g, "")) as unknown;

test("the PHP snippet contains the whole email and escapes only quotes and backslashes", () => {
  const literal = between(CODE_SNIPPETS.PHP!(URL, EMAIL), "json_encode(", "),\n]);");
  const open: string[] = [];
  // A PHP array whose first entry has a key is a JSON object.
  const read = asJson(
    literal.replaceAll(/\[(?=\s*'(?:[^'\\]|\\.)*' =>)/g, "{"),
    /'(?:[^'\\]|\\.)*'|=>|[[\]{]/gs,
    (token) => {
      if (token.startsWith("'")) return JSON.stringify(token.slice(1, -1).replace(/\\(.)/gs, "$1"));
      if (token === "=>") return ":";
      if (token === "]") return open.pop()!;
      open.push(token === "{" ? "}" : "]");
      return token;
    },
  );
  expect(read).toEqual(EMAIL);
  expect(CODE_SNIPPETS.PHP!(URL, { subject: `It's \\ $x` })).toContain(
    String.raw`'subject' => 'It\'s \\ $x',`,
  );
});

test("the Go snippet contains the whole email", () => {
  const literal = between(CODE_SNIPPETS.Go!(URL, EMAIL), "json.Marshal(", ")\n\tif err != nil");
  const open: string[] = [];
  const begins: Record<string, string> = { "map[string]any{": "{", "[]any{": "[" };
  const read = asJson(
    literal.slice(0, literal.indexOf("\n\t})") + 3),
    /"(?:[^"\\]|\\.)*"|map\[string\]any\{|\[\]any\{|\}/gs,
    (token) => {
      if (token.startsWith('"')) return token;
      if (token === "}") return open.pop()!;
      open.push(begins[token] === "{" ? "}" : "]");
      return begins[token]!;
    },
  );
  expect(read).toEqual(EMAIL);
});

test("no snippet contains an API key", () => {
  for (const code of Object.values(CODE_SNIPPETS)) {
    expect(code(URL, EMAIL)).toContain("POSTHOUSE_API_KEY");
    expect(code(URL, EMAIL)).not.toContain("ph_");
  }
});

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

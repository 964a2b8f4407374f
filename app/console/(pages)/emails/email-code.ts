import type { EmailDetail } from "./queries.ts";

/** A curl command for `POST /emails`. The API key is read from the environment. */
export function curlSnippet(baseUrl: string, email: Record<string, unknown>): string {
  return [
    `curl ${baseUrl}/emails \\`,
    `  -H "Authorization: Bearer $POSTHOUSE_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellQuoted(JSON.stringify(email, null, 2).replaceAll("\n", "\n  "))}`,
  ].join("\n");
}

/** Inside single quotes, a shell interprets nothing but the closing quote. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

type Request = Record<string, unknown>;

/** Fields that the Node.js SDK names differently from the API. */
const SDK_NAMES: Record<string, string> = {
  reply_to: "replyTo",
  content_type: "contentType",
  content_id: "contentId",
};

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

/** In a single-quoted PHP string, only quotes and backslashes need escaping. */
const phpString = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;

/** Code that sends an email, by language. The API key is read from the environment. */
export const CODE_SNIPPETS: Record<string, (baseUrl: string, email: Request) => string> = {
  curl: curlSnippet,
  "Node.js": nodeSnippet,
  Python: pythonSnippet,
  PHP: phpSnippet,
  Go: goSnippet,
};

function nodeSnippet(baseUrl: string, email: Request): string {
  return `import { Resend } from "resend";

const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, {
  baseUrl: ${JSON.stringify(baseUrl)},
});

const { data, error } = await posthouse.emails.send(${JSON.stringify(toSdkNames(email), null, 2)});
if (error) throw new Error(error.message);
console.log(data.id);`;
}

/** Renames the fields of the email and of its attachments; custom header names stay. */
function toSdkNames(email: Request): Request {
  const names = ([name, value]: [string, unknown]) => [SDK_NAMES[name] ?? name, value];
  const { attachments } = email;
  return Object.fromEntries(
    Object.entries({
      ...email,
      ...(Array.isArray(attachments) && {
        attachments: attachments.map((file: Request) =>
          Object.fromEntries(Object.entries(file).map(names) as [string, unknown][]),
        ),
      }),
    }).map(names) as [string, unknown][],
  );
}

/** JSON made only of strings, arrays and objects is valid Python. */
function pythonSnippet(baseUrl: string, email: Request): string {
  return `import os

import requests

response = requests.post(
    ${JSON.stringify(`${baseUrl}/emails`)},
    headers={"Authorization": f"Bearer {os.environ['POSTHOUSE_API_KEY']}"},
    json=${indented(JSON.stringify(email, null, 4), "    ")},
    timeout=30,
)
response.raise_for_status()
print(response.json()["id"])`;
}

function phpSnippet(baseUrl: string, email: Request): string {
  return `<?php
$request = curl_init(${phpString(`${baseUrl}/emails`)});
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('POSTHOUSE_API_KEY'),
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode(${phpLiteral(email, "    ")}),
]);
$response = json_decode(curl_exec($request), true);
echo $response['id'] ?? $response['message'], PHP_EOL;`;
}

function phpLiteral(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return phpString(String(value));
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => phpLiteral(item, inner))
    : Object.entries(value).map(
        ([name, field]) => `${phpString(name)} => ${phpLiteral(field, inner)}`,
      );
  return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`;
}

function goSnippet(baseUrl: string, email: Request): string {
  return `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	email, err := json.Marshal(${goLiteral(email, "\t")})
	if err != nil {
		panic(err)
	}
	request, err := http.NewRequest("POST", ${JSON.stringify(`${baseUrl}/emails`)}, bytes.NewReader(email))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTHOUSE_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(body))
}`;
}

/** A JSON string is a valid Go string. */
function goLiteral(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}\t`;
  const [type, items] = Array.isArray(value)
    ? ["[]any", value.map((item) => goLiteral(item, inner))]
    : [
        "map[string]any",
        Object.entries(value).map(
          ([name, field]) => `${JSON.stringify(name)}: ${goLiteral(field, inner)}`,
        ),
      ];
  return `${type}{\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}}`;
}

type Content = NonNullable<EmailDetail["content"]>;

/** The `POST /emails` body that sends this email again, with placeholders for the contents of attachments. */
export function requestBody(email: EmailDetail, content: Content): Record<string, unknown> {
  const { from, to, cc, bcc, replyTo, subject, tags, attachments } = email;
  const { html, text, headers } = content;
  const files = attachments.map((file) => ({
    filename: file.filename ?? `attachment-${file.position + 1}`,
    content: `<base64 of ${file.filename ?? "the file"}>`,
    ...(file.contentType !== null && { content_type: file.contentType }),
    ...(file.contentId !== null && { content_id: file.contentId }),
  }));
  return {
    from,
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(replyTo.length > 0 && { reply_to: replyTo }),
    subject,
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(files.length > 0 && { attachments: files }),
  };
}

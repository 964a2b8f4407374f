import { curlOf } from "./curl.ts";

type Request = Record<string, unknown>;

/** Programs that send an email, by language. The key stays out of them: it comes from the environment. */
export const LANGUAGES: Record<string, (baseUrl: string, email: Request) => string> = {
  curl: curlOf,
  "Node.js": nodeOf,
  Python: pythonOf,
  PHP: phpOf,
  Go: goOf,
};

/** The SDK's own names, where they differ. */
const SDK_NAMES: Record<string, string> = {
  reply_to: "replyTo",
  content_type: "contentType",
  content_id: "contentId",
};

function nodeOf(baseUrl: string, email: Request): string {
  return `import { Resend } from "resend";

const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, {
  baseUrl: ${JSON.stringify(baseUrl)},
});

const { data, error } = await posthouse.emails.send(${JSON.stringify(renamed(email), null, 2)});
if (error) throw new Error(error.message);
console.log(data.id);`;
}

/** Not within headers, whose names are the caller's. */
function renamed(email: Request): Request {
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

/** JSON of texts, lists and objects is Python too. */
function pythonOf(baseUrl: string, email: Request): string {
  return `import os

import requests

answer = requests.post(
    ${JSON.stringify(`${baseUrl}/emails`)},
    headers={"Authorization": f"Bearer {os.environ['POSTHOUSE_API_KEY']}"},
    json=${indented(JSON.stringify(email, null, 4), "    ")},
    timeout=30,
)
answer.raise_for_status()
print(answer.json()["id"])`;
}

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

function phpOf(baseUrl: string, email: Request): string {
  return `<?php
$request = curl_init(${phpText(`${baseUrl}/emails`)});
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('POSTHOUSE_API_KEY'),
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode(${phpLiteral(email, "    ")}),
]);
$answer = json_decode(curl_exec($request), true);
echo $answer['id'] ?? $answer['message'], PHP_EOL;`;
}

/** Between single quotes PHP reads everything as it is but the quote and the backslash. */
const phpText = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;

function phpLiteral(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return phpText(String(value));
  const inner = `${indent}    `;
  const items = Array.isArray(value)
    ? value.map((item) => phpLiteral(item, inner))
    : Object.entries(value).map(
        ([name, field]) => `${phpText(name)} => ${phpLiteral(field, inner)}`,
      );
  return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`;
}

function goOf(baseUrl: string, email: Request): string {
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
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.Status, string(body))
}`;
}

/** A text in JSON is one in Go. */
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

import { curlSnippet } from "./curl.ts";

type Request = Record<string, unknown>;

/** Code that sends an email, by language. The API key is read from the environment. */
export const CODE_SNIPPETS: Record<string, (baseUrl: string, email: Request) => string> = {
  curl: curlSnippet,
  "Node.js": nodeSnippet,
  Python: pythonSnippet,
  PHP: phpSnippet,
  Go: goSnippet,
};

/** Fields that the Node.js SDK names differently from the API. */
const SDK_NAMES: Record<string, string> = {
  replyTo: "replyTo",
  contentType: "contentType",
  contentId: "contentId",
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

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

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

/** In a single-quoted PHP string, only quotes and backslashes need escaping. */
const phpString = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;

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

import type { ApiEndpoint } from "./endpoint.ts";

/** A sample request and response in the API reference. */
export type Example = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
  answer: unknown;
  /** The same call with the Node SDK: method and arguments. */
  sdk?: [method: string, ...input: unknown[]];
};

type Request = {
  method: string;
  url: string;
  /** Whether the API key is sent. */
  withKey: boolean;
  headers: [name: string, value: string][];
  body: unknown;
};

/** Code samples for an endpoint, one per language of the API reference. They read the key from the environment. */
export function codeSamples(endpoint: ApiEndpoint, example: Example, serverUrl: string) {
  const request = requestOf(endpoint, example, serverUrl);
  return [
    { lang: "Shell", label: "curl", source: curlCommand(request) },
    {
      lang: "JavaScript",
      label: "Node.js",
      source: example.sdk ? sdkCall(example.sdk, serverUrl) : fetchCall(request),
    },
    { lang: "Python", label: "Python", source: pythonCall(request) },
    { lang: "PHP", label: "PHP", source: phpCall(request) },
    { lang: "Go", label: "Go", source: goCall(request) },
  ];
}

function requestOf(
  { method, path, permission }: ApiEndpoint,
  { params = {}, query, headers = {}, body }: Example,
  serverUrl: string,
): Request {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? "").replaceAll("%40", "@"),
  );
  const search = query ? `?${new URLSearchParams(query).toString()}` : "";
  return {
    method,
    url: serverUrl + filled + search,
    withKey: permission !== "public",
    headers: [
      ...(body === undefined ? [] : [["Content-Type", "application/json"] as [string, string]]),
      ...Object.entries(headers),
    ],
    body,
  };
}

/** A command to paste into a shell, with arguments quoted. */
function curlCommand({ method, url, withKey, headers, body }: Request): string {
  const options = [
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(withKey ? [`-H "Authorization: Bearer $POSTHOUSE_API_KEY"`] : []),
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuoted(JSON.stringify(body, null, 2))}`]),
  ];
  return ["curl " + shellQuoted(url), ...options].join(" \\\n  ");
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function sdkCall([method, ...input]: [string, ...unknown[]], serverUrl: string): string {
  const options = `{\n  baseUrl: ${JSON.stringify(serverUrl)},\n}`;
  return `import { Resend } from "resend";

const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, ${options});

const { data, error } = await posthouse.${method}(${input.map((value) => literal(value, JAVASCRIPT)).join(", ")});
console.log(data ?? error);`;
}

function fetchCall({ method, url, withKey, headers, body }: Request): string {
  const key = new Code("`Bearer ${process.env.POSTHOUSE_API_KEY}`");
  const sent: [string, unknown][] = [
    ...(withKey ? [["Authorization", key] as [string, Code]] : []),
    ...headers,
  ];
  const options = {
    ...(method !== "GET" && { method }),
    ...(sent.length > 0 && { headers: Object.fromEntries(sent) }),
    ...(body !== undefined && {
      body: new Code(`JSON.stringify(${literal(body, JAVASCRIPT, "  ")})`),
    }),
  };
  const given = Object.keys(options).length > 0 ? `, ${literal(options, JAVASCRIPT)}` : "";
  return `const response = await fetch(${JSON.stringify(url)}${given});
console.log(await response.json());`;
}

function pythonCall({ method, url, withKey, headers, body }: Request): string {
  const key = new Code(`f"Bearer {os.environ['POSTHOUSE_API_KEY']}"`);
  // The library sets the content type of `json` itself.
  const sent = [
    ...(withKey ? [["Authorization", key] as const] : []),
    ...headers.filter(([name]) => name !== "Content-Type"),
  ];
  const options = [
    ...(sent.length > 0 ? [`headers=${literal(Object.fromEntries(sent), PYTHON, "    ")}`] : []),
    ...(body === undefined ? [] : [`json=${literal(body, PYTHON, "    ")}`]),
  ];
  return `${withKey ? "import os\n\n" : ""}import requests

response = requests.${method.toLowerCase()}(
    ${[JSON.stringify(url), ...options].join(",\n    ")},
)
print(response.json())`;
}

function phpCall({ method, url, withKey, headers, body }: Request): string {
  const key = new Code(`"Authorization: Bearer " . getenv("POSTHOUSE_API_KEY")`);
  const options = {
    method,
    header: [...(withKey ? [key] : []), ...headers.map(([name, value]) => `${name}: ${value}`)],
    ...(body !== undefined && {
      content: new Code(`json_encode(${literal(body, PHP, "        ")})`),
    }),
    ignore_errors: true,
  };
  return `<?php
$context = stream_context_create(${literal({ http: options }, PHP)});
echo file_get_contents(${PHP.text(url)}, false, $context);`;
}

function goCall({ method, url, withKey, headers, body }: Request): string {
  const hasBody = body !== undefined;
  const packages = ["io", "net/http", "os", ...(hasBody ? ["strings"] : [])];
  const set = [
    ...(withKey
      ? [`request.Header.Set("Authorization", "Bearer "+os.Getenv("POSTHOUSE_API_KEY"))`]
      : []),
    ...headers.map(([name, value]) => `request.Header.Set("${name}", ${JSON.stringify(value)})`),
  ];
  // Backquotes can't be escaped in Go's raw strings, but can be in JSON.
  const content = hasBody ? JSON.stringify(body, null, 2).replaceAll("`", "\\u0060") : "";
  return `package main

import (
${packages.map((name) => `\t"${name}"\n`).join("")})

func main() {
${hasBody ? `\tbody := strings.NewReader(\`${content}\`)\n` : ""}\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${hasBody ? "body" : "nil"})
\tif err != nil {
\t\tpanic(err)
\t}
${set.map((line) => `\t${line}\n`).join("")}\tresponse, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer response.Body.Close()
\tio.Copy(os.Stdout, response.Body)
}`;
}

/** How a language writes values. */
type Dialect = {
  lists: [open: string, close: string];
  objects: [open: string, close: string];
  /** Between a name and its value. */
  colon: string;
  indent: string;
  name: (name: string) => string;
  text: (text: string) => string;
  /** `true`, `false` and `null`, where they aren't spelled as in JSON. */
  words?: Record<string, string>;
};

const JAVASCRIPT: Dialect = {
  lists: ["[", "]"],
  objects: ["{ ", " }"],
  colon: ": ",
  indent: "  ",
  name: (name) => (/^\w+$/.test(name) ? name : JSON.stringify(name)),
  text: (text) => JSON.stringify(text),
};
const PYTHON: Dialect = {
  lists: ["[", "]"],
  objects: ["{", "}"],
  colon: ": ",
  indent: "    ",
  name: (name) => JSON.stringify(name),
  text: (text) => JSON.stringify(text),
  words: { true: "True", false: "False", null: "None" },
};
const PHP: Dialect = {
  lists: ["[", "]"],
  objects: ["[", "]"],
  colon: " => ",
  indent: "    ",
  name: (name) => `"${name}"`,
  // Double quotes would insert variables.
  text: (text) =>
    /[\\$"\n]/.test(text) ? `'${text.replace(/[\\']/g, "\\$&")}'` : JSON.stringify(text),
};

/** An expression to write as it is. */
class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const LINE_MAX = 72;

/** Formats a value as source code. */
function literal(value: unknown, dialect: Dialect, indent = ""): string {
  if (typeof value === "string") return dialect.text(value);
  if (typeof value !== "object" || value === null)
    return dialect.words?.[String(value)] ?? String(value);
  if (value instanceof Code) return value.text;
  const inner = indent + dialect.indent;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, dialect, inner));
    return wrapped(items, dialect.lists, { inner, indent });
  }
  const fields = Object.entries(value).map(
    ([name, field]) => dialect.name(name) + dialect.colon + literal(field, dialect, inner),
  );
  return wrapped(fields, dialect.objects, { inner, indent });
}

/** Writes items on one line if they fit. */
function wrapped(
  items: string[],
  [open, close]: [string, string],
  { inner, indent }: { inner: string; indent: string },
): string {
  if (items.length === 0) return open.trim() + close.trim();
  const line = open + items.join(", ") + close;
  if (line.length + indent.length <= LINE_MAX && !line.includes("\n")) return line;
  return `${open.trim()}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close.trim()}`;
}

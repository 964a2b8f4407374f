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

/** Code samples for an endpoint, one per language of the API reference. */
export function codeSamples(endpoint: ApiEndpoint, example: Example, serverUrl: string) {
  return [
    { lang: "Shell", label: "curl", source: curlCommand(endpoint, example, serverUrl) },
    ...(example.sdk
      ? [{ lang: "JavaScript", label: "Node.js", source: sdkCall(example.sdk, serverUrl) }]
      : []),
  ];
}

/** A command to paste into a shell, with arguments quoted. */
function curlCommand(
  { method, path, permission }: ApiEndpoint,
  example: Example,
  serverUrl: string,
) {
  const { params = {}, query, headers = {}, body } = example;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? "").replaceAll("%40", "@"),
  );
  const search = query ? `?${new URLSearchParams(query).toString()}` : "";
  const options = [
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(permission === "public" ? [] : [`-H "Authorization: Bearer $POSTHOUSE_API_KEY"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return ["curl " + quoted(serverUrl + filled + search), ...options].join(" \\\n  ");
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function sdkCall([method, ...input]: [string, ...unknown[]], serverUrl: string): string {
  const options = `{\n  baseUrl: ${JSON.stringify(serverUrl)},\n}`;
  return [
    `import { Resend } from "resend";\n`,
    `const posthouse = new Resend(process.env.POSTHOUSE_API_KEY, ${options});\n`,
    `const { data, error } = await posthouse.${method}(${input.map((value) => literal(value)).join(", ")});`,
  ].join("\n");
}

const LINE_MAX = 72;

/** Formats a value as JavaScript source. */
function literal(value: unknown, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, inner));
    return wrap("[", items, "]", indent);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) =>
      `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${literal(field, inner)}`,
  );
  return wrap("{", fields, "}", indent);
}

function wrap(open: string, items: string[], close: string, indent: string): string {
  const space = open === "{" && items.length > 0 ? " " : "";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length + indent.length <= LINE_MAX && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}${close}`;
}

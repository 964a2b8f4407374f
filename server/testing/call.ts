import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { Download } from "#server/http/downloads.ts";
import {
  type AnyEndpoint,
  type ApiEndpoint,
  isForOurPages,
  SECRET_KEYS,
  SHOWN_SECRET,
} from "#server/http/endpoint.ts";
import { createRouter } from "#server/http/router.ts";

import { checkAnswer } from "./check-answer.ts";

type Call = {
  key?: string;
  cookie?: string;
  params?: Record<string, string>;
  query?: Record<string, string> | [string, string][];
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  rawBody?: string | Uint8Array;
};

/** `body` is the JSON value, null if there was none; of a download, its text. */
export type Answered = { status: number; body: unknown; headers: Headers };

/**
 * Calls an endpoint with all its middleware, without a network. The client's address is that of the header
 * `x-forwarded-for`.
 */
export async function call(endpoint: AnyEndpoint, call: Call = {}): Promise<Answered> {
  const { params = {} } = call;
  const query = new URLSearchParams(call.query);
  if (isForOurPages(endpoint))
    for (const [name, value] of Object.entries(params)) query.append(name, value);
  const headers = headersOf(call);
  const answer = await createRouter([endpoint])({
    method: endpoint.method,
    path: endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ""),
    ),
    query: query.toString(),
    headers,
    address: headers["x-forwarded-for"] ?? "127.0.0.1",
    requestId: "test",
    stream: Readable.from(bodyOf(call)),
  });
  if (answer.body instanceof Download) {
    const body = await text(Readable.from(answer.body.content));
    return { status: answer.status, body, headers: answer.headers };
  }
  const body = answer.body === null ? null : (JSON.parse(answer.body) as unknown);
  if (isForOurPages(endpoint)) requireNoSecrets(endpoint, body);
  else checkAnswer(endpoint as ApiEndpoint, { status: answer.status, body });
  return { status: answer.status, body, headers: answer.headers };
}

const SECRET_KEY = new RegExp(`^(${SECRET_KEYS.join("|").replaceAll("*", ".*")})$`);

/** Throws if a response to a page has a key of a secret, even one that the type doesn't show. */
function requireNoSecrets({ method, path }: AnyEndpoint, body: unknown): void {
  JSON.stringify(body, (key, value: unknown) => {
    if (SECRET_KEY.test(key) && key !== SHOWN_SECRET && typeof value !== "boolean")
      throw new Error(`${method} ${path} answers with ${key}`);
    return value;
  });
}

function headersOf({ key, cookie, headers = {} }: Call): Record<string, string> {
  return {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(cookie !== undefined && { cookie, "sec-fetch-site": "same-origin" }),
    ...Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}

function bodyOf({ body, rawBody }: Call): Buffer[] {
  const bytes = rawBody ?? (body === undefined ? "" : JSON.stringify(body));
  return bytes.length > 0 ? [Buffer.from(bytes)] : [];
}

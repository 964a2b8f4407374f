import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { serve } from "#server/http/serve.ts";

type Call = {
  key?: string;
  cookie?: string;
  params?: Record<string, string>;
  query?: Record<string, string> | [string, string][];
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  rawBody?: string | Uint8Array<ArrayBuffer>;
};

/** `body` is the JSON value, null when there was none. */
export type Answered = { status: number; body: unknown; headers: Headers };

/** Sends a request through the whole of `serve`, as Next would, without a network. */
export async function call(
  endpoint: AnyEndpoint,
  { key, cookie, params = {}, query, headers, body, rawBody }: Call = {},
): Promise<Answered> {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const request = new Request(
    `http://test.invalid${path}?${new URLSearchParams(query).toString()}`,
    {
      method: endpoint.method,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        ...(cookie && { cookie, "sec-fetch-site": "same-origin" }),
        ...headers,
      },
      body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
    },
  );
  const response = await serve(endpoint)[endpoint.method](request, {
    params: Promise.resolve(params),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? null : (JSON.parse(text) as unknown),
    headers: response.headers,
  };
}

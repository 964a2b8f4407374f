import type { z } from "zod";

import type { AnyEndpoint } from "#server/http/endpoint.ts";

type Given<Name extends string, S> = [NonNullable<S>] extends [never]
  ? { [key in Name]?: undefined }
  : { [key in Name]: z.input<NonNullable<S>> };
type Input<E extends AnyEndpoint> = Given<"params", E["params"]> &
  Partial<Given<"query", E["query"]>> &
  Given<"body", E["body"]>;

/** What an endpoint answers. */
export type Answer<E extends AnyEndpoint> = z.output<E["response"]>;

/** The refusal of a console endpoint, or a failure on the server, as react-query hands it to a component. */
export class ConsoleError extends Error {
  override name = "ConsoleError";
  /** Stable: the refusal's name. */
  readonly reason: string;
  readonly status: number;
  /** Finds the request in the server's log. */
  readonly requestId: string | null;

  constructor(reason: string, message: string, answer: Response) {
    super(message);
    this.reason = reason;
    this.status = answer.status;
    this.requestId = answer.headers.get("x-request-id");
  }
}

/**
 * Calls a console endpoint. Name its declaration as the type argument: method, path, input and answer
 * are then checked against it, and no server code reaches the browser.
 *
 * @throws ConsoleError for every answer but a success; TypeError when the server cannot be reached
 */
export async function call<E extends AnyEndpoint>(
  method: E["method"],
  path: E["path"],
  input: Input<E>,
): Promise<Answer<E>> {
  const answer = await fetch(urlOf(path, input.params as Fields, input.query as Fields), {
    method,
    headers: input.body === undefined ? {} : { "content-type": "application/json" },
    body: input.body === undefined ? null : JSON.stringify(input.body),
  });
  const text = await answer.text();
  const body = jsonOf(text);
  if (answer.ok && body !== undefined) return body as Answer<E>;
  throw errorOf(body, answer);
}

type Fields = Record<string, unknown> | undefined;

function urlOf(path: string, params: Fields, query: Fields): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])),
  );
  const given = Object.entries(query ?? {}).filter(([, value]) => value != null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search.toString()}` : filled;
}

/** Undefined for what is not JSON: a proxy in between may answer with a page of its own. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(body: unknown, answer: Response): ConsoleError {
  if (typeof body === "object" && body !== null && "name" in body && "message" in body)
    return new ConsoleError(String(body.name), String(body.message), answer);
  return new ConsoleError("unexpected_answer", `The server answered ${answer.status}`, answer);
}

import type { z } from "zod";

import type { AnyEndpoint } from "#server/http/endpoint.ts";

import { typographic } from "./ui/server-text.ts";
import { upload } from "./upload.ts";
import { beginWaiting } from "./waiting.ts";

type Given<Name extends string, S> = [NonNullable<S>] extends [never]
  ? { [key in Name]?: undefined }
  : { [key in Name]: z.input<NonNullable<S>> };
type Input<E extends AnyEndpoint> = Given<"params", E["params"]> &
  Partial<Given<"query", E["query"]>> &
  Given<"body", E["body"]>;

/** The response type of an endpoint. */
export type Answer<E extends AnyEndpoint> = z.output<E["response"]>;

/** An invalid field of a request; see `server/core/shared/refusals.ts`. */
type FieldProblem = { path: string; code: string; message: string };

/** The error of a console endpoint, or a server failure, as react-query passes it to a component. */
export class ConsoleError extends Error {
  override name = "ConsoleError";
  /** Stable name of the error. */
  readonly reason: string;
  readonly status: number;
  /** Finds the request in the server's log. */
  readonly requestId: string | null;
  /** The invalid fields of the request, if the error is about fields. */
  readonly fields: readonly FieldProblem[];

  constructor(
    reason: string,
    message: string,
    answer: Pick<Response, "status" | "headers">,
    fields: readonly FieldProblem[] = [],
  ) {
    super(message);
    this.reason = reason;
    this.fields = fields;
    this.status = answer.status;
    this.requestId = answer.headers.get("x-request-id");
  }
}

/** The server did not respond in time. The request may have been processed anyway. */
export class NoAnswerInTime extends Error {
  override name = "NoAnswerInTime";
}

/** The response timeout. Longer for large requests, which take time to upload on a slow connection. */
const PATIENCE_MS = 30_000;
const UPLOAD_CHARACTERS_PER_MS = 50;

/**
 * Calls a console endpoint. Name its declaration as the type argument: method, path, input and answer
 * are then checked against it, and no server code reaches the browser.
 *
 * @throws ConsoleError for every answer but a success; NoAnswerInTime after 30 seconds, or longer where
 * much is sent; TypeError when the server cannot be reached
 * @param options.onProgress gets the part of the body that has been sent, from 0 to 1
 */
export async function call<E extends AnyEndpoint>(
  method: E["method"],
  path: E["path"],
  input: Input<E>,
  { onProgress }: { onProgress?: (sent: number) => void } = {},
): Promise<Answer<E>> {
  const sent = input.body === undefined ? null : JSON.stringify(input.body);
  const end = beginWaiting();
  const { answer, text } = await ask(urlOf(path, input.params as Fields, input.query as Fields), {
    method,
    headers: sent === null ? {} : { "content-type": "application/json" },
    body: sent,
    timeoutMs: PATIENCE_MS + Math.ceil((sent?.length ?? 0) / UPLOAD_CHARACTERS_PER_MS),
    onProgress,
  }).finally(end);
  const body = jsonOf(text);
  if (answer.ok && body !== undefined) return body as Answer<E>;
  throw errorOf(body, answer);
}

type Request = {
  method: string;
  headers: Record<string, string>;
  body: string | null;
  timeoutMs: number;
  onProgress: ((sent: number) => void) | undefined;
};

async function ask(
  url: string,
  { timeoutMs, onProgress, ...request }: Request,
): Promise<{ answer: Response; text: string }> {
  try {
    const answer = onProgress
      ? await upload(url, { ...request, timeoutMs, onProgress })
      : await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) });
    return { answer, text: await answer.text() };
  } catch (error) {
    if (error instanceof DOMException && error.name === "TimeoutError")
      throw new NoAnswerInTime("The server took too long to answer", { cause: error });
    throw error;
  }
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

/** Undefined if the body isn't JSON, for example the error page of a proxy. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf(body: unknown, answer: Response): ConsoleError {
  if (typeof body === "object" && body !== null && "name" in body && "message" in body)
    return new ConsoleError(
      String(body.name),
      typographic(String(body.message)),
      answer,
      fieldsOf(body),
    );
  return new ConsoleError(
    "unexpected_answer",
    `The server returned an error (HTTP ${answer.status})`,
    answer,
  );
}

function fieldsOf(body: object): FieldProblem[] {
  if (!("fields" in body) || !Array.isArray(body.fields)) return [];
  return (body.fields as FieldProblem[]).map((problem) => ({
    ...problem,
    message: typographic(problem.message),
  }));
}

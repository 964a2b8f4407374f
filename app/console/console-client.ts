import type { z } from "zod";

import type { PageApi } from "#server/resources/pages.ts";

import { typographic } from "./ui/format.ts";
import { upload } from "./upload.ts";
import { beginWaiting } from "./waiting.ts";
import { pageText } from "./ui/texts.tsx";

/** An endpoint's name, such as `groups.list`, or `account.rules.get` for `/account`. */
type Name = keyof PageApi;

/** The console and `/account` share some endpoints, for signing in and second factors. */
export type Area = "console" | "account";

/** The name, in this area, of an endpoint that both have. Has the console's type, because input and response are the same. */
export const nameIn = <N extends Name>(area: Area, name: N): N =>
  (area === "console" ? name : `account.${name}`) as N;

type NameOf<M extends "GET" | "POST"> = {
  [N in Name]: PageApi[N]["method"] extends M ? N : never;
}[Name];

/** Names of the endpoints that are declared with `read`. */
export type ReadName = NameOf<"GET">;

/** Names of the endpoints that are declared with `change`. */
export type ChangeName = NameOf<"POST">;

/** The part of an endpoint's name before its verb, such as `groups` or `account.rules`. */
export type Noun = Name extends infer N
  ? N extends `account.${infer Own}.${string}`
    ? `account.${Own}`
    : N extends `${infer Own}.${string}`
      ? Own
      : never
  : never;

/** The parameters, query and body of an endpoint. */
export type InputOf<N extends Name> = Given<"params", PageApi[N]["params"]> &
  Partial<Given<"query", PageApi[N]["query"]>> &
  Given<"body", PageApi[N]["body"]>;

/** The data an endpoint returns. */
export type AnswerOf<N extends Name> = Awaited<ReturnType<PageApi[N]["handle"]>>;

/**
 * Calls an endpoint that is declared with `read`.
 *
 * @throws ConsoleError unless the response is a success; NoAnswerInTime after 30 seconds, or longer for
 * large requests; TypeError when the server cannot be reached
 */
export const read = <N extends ReadName>(name: N, input: InputOf<N>): Promise<AnswerOf<N>> =>
  send("GET", readUrl(name, input), undefined, {});

/**
 * Calls an endpoint that is declared with `change`. Throws like `read`.
 *
 * @param options.onProgress receives the fraction of the body that has been sent, from 0 to 1
 */
export const change = <N extends ChangeName>(
  name: N,
  input: InputOf<N>,
  options: SendOptions = {},
): Promise<AnswerOf<N>> => send("POST", urlOf(name, input), input.body, options);

/** The URL of an endpoint that is declared with `read`. */
export const readUrl = <N extends ReadName>(name: N, input: InputOf<N>): string =>
  urlOf(name, input);

const pathOf = (name: string) =>
  name.startsWith("account.")
    ? `/account/api/${name.slice("account.".length).replace(".", "/")}`
    : `/console/api/${name.replace(".", "/")}`;

type Given<Name extends string, S> = [NonNullable<S>] extends [never]
  ? { [key in Name]?: undefined }
  : { [key in Name]: z.input<NonNullable<S>> };

/** An invalid field of a request; see `server/core/shared/refusals.ts`. */
export type FieldProblem = { path: string; code: string; message: string };

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

type SendOptions = { onProgress?: (sent: number) => void };

async function send<Answer>(
  method: string,
  url: string,
  given: unknown,
  { onProgress }: SendOptions,
): Promise<Answer> {
  const sent = given === undefined ? null : JSON.stringify(given);
  const end = beginWaiting();
  const { answer, text } = await ask(url, {
    method,
    headers: sent === null ? {} : { "content-type": "application/json" },
    body: sent,
    timeoutMs: PATIENCE_MS + Math.ceil((sent?.length ?? 0) / UPLOAD_CHARACTERS_PER_MS),
    onProgress,
  }).finally(end);
  const body = jsonOf(text);
  if (answer.ok && body !== undefined) return body as Answer;
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

function urlOf(name: string, { params, query }: { params?: object; query?: object }): string {
  const given = Object.entries({ ...params, ...query }).filter(([, value]) => value != null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const path = pathOf(name);
  return search.size > 0 ? `${path}?${search.toString()}` : path;
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
    pageText("error.status", { status: String(answer.status) }),
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

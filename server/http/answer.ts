import { Refusal, refusals } from "#server/core/shared/refusals.ts";

import { BodyOverServerLimit } from "./read-body.ts";

/** What goes back to the caller. */
export type ApiAnswer = {
  status: number;
  headers: Headers;
  /** Null where there is none: the body of the request is over the 30 MB that the server takes. */
  body: string | null;
  /** The error's name, for a status of 400 or more. */
  error: string | null;
};

/** Every success is a 200 with a JSON body: clients read an empty one as a failure. */
export function answer(value: unknown, headers: Headers): ApiAnswer {
  return { status: 200, headers: asJson(headers), body: JSON.stringify(value), error: null };
}

/** The answer to anything thrown. What is not a refusal is a bug: the caller learns only that. */
export function refuse(error: unknown): ApiAnswer {
  const headers = new Headers();
  if (error instanceof BodyOverServerLimit) {
    const { status, name } = refusals.payload_too_large;
    return { status, headers, body: null, error: name };
  }
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal("application_error", "Something went wrong on the server. Try again later");
  const { status, name } = refusals[refusal.reason];
  if (refusal.retryAfterSeconds !== null)
    headers.set("retry-after", String(refusal.retryAfterSeconds));
  const body = JSON.stringify({ statusCode: status, name, message: refusal.message });
  return { status, headers: asJson(headers), body, error: name };
}

function asJson(headers: Headers): Headers {
  headers.set("content-type", "application/json");
  headers.set("cache-control", "no-store");
  return headers;
}

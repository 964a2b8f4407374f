import { type FieldProblem, Refusal, refusals } from "#server/core/shared/refusals.ts";

import type { Download } from "./downloads.ts";
import { BodyOverServerLimit } from "./read-body.ts";

export type ApiAnswer = {
  status: number;
  headers: Headers;
  /** Null when the request body exceeds the server-wide 30 MB: that error has no body. */
  body: string | Download | null;
  /** Error name for a status of 400 or more. */
  error: string | null;
};

/** Every success is a 200 with a JSON body, because clients treat an empty body as a failure. */
export function answer(value: unknown, headers: Headers): ApiAnswer {
  return { status: 200, headers: asJson(headers), body: JSON.stringify(value), error: null };
}

export function answerDownload(download: Download, headers: Headers): ApiAnswer {
  return { status: 200, headers: download.headers(headers), body: download, error: null };
}

/**
 * Converts anything thrown into an error response. Anything but a Refusal is a bug and becomes a generic 500.
 *
 * @param isForOurPages adds the invalid fields, which the public API doesn't list
 */
export function refuse(error: unknown, isForOurPages: boolean): ApiAnswer {
  const headers = new Headers();
  if (error instanceof BodyOverServerLimit) {
    const { status, name } = refusals.payload_too_large;
    return { status, headers, body: null, error: name };
  }
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal("application_error", "Internal error. Try again later");
  const { status, name } = refusals[refusal.reason];
  if (refusal.retryAfterSeconds !== null)
    headers.set("retry-after", String(refusal.retryAfterSeconds));
  const fields =
    isForOurPages && refusal.fields.length > 0 ? { fields: refusal.fields.map(toPageField) } : {};
  const body = JSON.stringify({ statusCode: status, name, message: refusal.message, ...fields });
  return { status, headers: asJson(headers), body, error: name };
}

/** The API names fields in snake case, pages in camel case. */
const toPageField = (problem: FieldProblem) => ({
  ...problem,
  path: problem.path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
});

function asJson(headers: Headers): Headers {
  headers.set("content-type", "application/json");
  headers.set("cache-control", "no-store");
  return headers;
}

import { type FieldProblem, Refusal, refusals } from "#server/core/shared/refusals.ts";
import { type Language, translateError } from "#server/universal/texts/languages.ts";
import { createLogger } from "#server/processes/logger.ts";

import type { ArrivingRequest } from "./api-request.ts";
import type { Caller } from "./authenticate.ts";
import type { Download } from "./downloads.ts";
import type { AnyEndpoint } from "./endpoint.ts";
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
export const answer = (value: unknown, headers: Headers): ApiAnswer => ({
  status: 200,
  headers: asJson(headers),
  body: JSON.stringify(value),
  error: null,
});

export const answerDownload = (download: Download, headers: Headers): ApiAnswer => ({
  status: 200,
  headers: download.headers(headers),
  body: download,
  error: null,
});

/**
 * Converts anything thrown into an error response. Anything but a Refusal is a bug and becomes a generic 500.
 *
 * @param isForOurPages adds the invalid fields, which the public API doesn't list
 * @param language of the messages
 */
export function refuse(
  error: unknown,
  { isForOurPages, language = "en" }: { isForOurPages: boolean; language?: Language },
): ApiAnswer {
  const headers = new Headers();
  if (error instanceof BodyOverServerLimit) {
    const { status, name } = refusals.payload_too_large;
    return { status, headers, body: null, error: name };
  }
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal(
          "application_error",
          isForOurPages
            ? "Internal error. Try again later"
            : "Internal error. Retry, and contact the operator with the request ID if it persists",
        );
  const { status, name } = refusals[refusal.reason];
  if (refusal.retryAfterSeconds !== null)
    headers.set("retry-after", String(refusal.retryAfterSeconds));
  const translated = (message: string) => translateError(language, message);
  const fields = refusal.fields.map((problem) => ({
    ...toPageField(problem),
    message: translated(problem.message),
  }));
  const body = JSON.stringify({
    statusCode: status,
    name,
    message: translated(refusal.message),
    ...(isForOurPages && fields.length > 0 && { fields }),
  });
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

const logger = createLogger("web");

type Answered = {
  request: ArrivingRequest;
  answer: ApiAnswer;
  endpoint: AnyEndpoint | null;
  caller: Caller | null;
  failure: unknown;
  /** Time until the response was ready. */
  ms: number;
};

/** Logs one line per request: caller, endpoint and outcome. Never bodies, query strings or secrets. */
export function logRequest({ request, answer, endpoint, caller, failure, ms }: Answered) {
  const line = {
    requestId: request.requestId,
    method: request.method,
    path: endpoint?.path ?? request.path.slice(0, 200),
    status: answer.status,
    ms,
    ...callerFields(caller),
  };
  if (failure !== null && !(failure instanceof Refusal) && answer.status >= 500)
    logger.error({ ...line, err: failure }, "request failed");
  else logger.info(line, "request");
}

function callerFields(caller: Caller | null) {
  switch (caller?.kind) {
    case "key":
      return { companyId: caller.key.companyId, keyId: caller.key.keyId };
    case "admin":
      return { companyId: caller.signedIn.companyId, adminId: caller.signedIn.id };
    case "mailbox":
      return { companyId: caller.mailbox.companyId };
    default:
      return {};
  }
}

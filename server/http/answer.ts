import { Refusal, refusals } from "#server/core/refusals.ts";

import { BodyOverServerLimit } from "./read-body.ts";

/** Every success is a 200 with a JSON body: clients read an empty one as a failure. */
export function answer(body: unknown, headers: Headers): Response {
  headers.set("cache-control", "no-store");
  return Response.json(body, { headers });
}

/** The answer to anything thrown. What is not a refusal is a bug: the caller learns only that. */
export function refuse(error: unknown): Response {
  if (error instanceof BodyOverServerLimit)
    return new Response(null, { status: 413, headers: { connection: "close" } });
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal("application_error", "Something went wrong on the server. Try again later");
  const { status, name } = refusals[refusal.reason];
  const headers = new Headers({ "cache-control": "no-store" });
  if (refusal.retryAfterSeconds !== null)
    headers.set("retry-after", String(refusal.retryAfterSeconds));
  return Response.json({ statusCode: status, name, message: refusal.message }, { status, headers });
}

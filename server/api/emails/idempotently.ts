import { createHash } from "node:crypto";

import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import {
  isIdempotencyKey,
  KEY_CHARS_MAX,
  runIdempotently,
} from "#server/core/sending/idempotency/run-idempotently.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { ApiRequest } from "#server/http/api-request.ts";

type Call = { ctx: Context; request: ApiRequest; headers: Headers };

/** The request headers of an endpoint that works idempotently, for the API reference. */
export const IDEMPOTENCY_HEADER = {
  "Idempotency-Key": {
    type: "string",
    minLength: 1,
    maxLength: KEY_CHARS_MAX,
    description:
      "Makes a repeated request harmless: for 24 hours the same key with the same body returns the first answer and sends nothing",
  },
} as const;

/** The path without percent-encoding and extra slashes, since different spellings reach the same endpoint. */
const plainPath = (path: string) =>
  `/${path.split("/").filter(Boolean).map(decodeURIComponent).join("/")}`;

/**
 * Does `work` once for each `Idempotency-Key`: a request that repeats one gets the first answer. A
 * request without the header just works. What throws gives its key back.
 *
 * @param variant what besides the body decides about the answer
 * @throws Refusal `invalid_idempotency_key`, `invalid_idempotent_request`, `concurrent_idempotent_requests`
 */
export async function idempotently<Answer>(
  { ctx, request, headers }: Call,
  variant: string,
  work: (keyLock: KeyLock | null) => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return work(null);
  if (!isIdempotencyKey(key))
    throw new Refusal(
      "invalid_idempotency_key",
      `Idempotency-Key must be 1 to ${KEY_CHARS_MAX} characters`,
    );
  const bodyHash = createHash("sha256")
    .update(variant)
    .update(request.body ?? "")
    .digest("hex");
  const endpoint = `${request.method} ${plainPath(request.path)}`;
  const keyed = { companyId: ctx.companyId, endpoint, key, bodyHash };
  const { answer, isReplayed } = await runIdempotently(ctx.db, keyed, work);
  if (isReplayed) headers.set("idempotent-replayed", "true");
  return answer;
}

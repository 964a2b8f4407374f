import { createHash } from "node:crypto";

import {
  type KeyLock,
  KEY_CHARS_MAX,
  isIdempotencyKey,
  keyedEndpoint,
  runIdempotently,
} from "#server/core/sending/idempotency/idempotency.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { ApiRequest } from "#server/http/api-request.ts";

type Call = { ctx: Context; request: ApiRequest; headers: Headers };

/** Request headers of an idempotent endpoint, for the API reference. */
export const IDEMPOTENCY_HEADER = {
  "Idempotency-Key": {
    type: "string",
    minLength: 1,
    maxLength: KEY_CHARS_MAX,
    description:
      "Makes retries safe. For 24 hours, a request with the same key and the same body returns the first response and sends nothing",
  },
} as const;

/** Normalizes a path: percent-decoded, without extra slashes. */
const plainPath = (path: string) =>
  `/${path.split("/").filter(Boolean).map(decodeURIComponent).join("/")}`;

/**
 * Runs `work` once per `Idempotency-Key`; repeated requests get the first response. Requests without the
 * header always run. An error releases the key.
 *
 * @param variant what the response depends on besides the body
 * @throws Refusal `invalid_idempotency_key`, `invalid_idempotent_request`, `concurrent_idempotent_requests`
 */
export async function withIdempotency<Answer>(
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
  const endpoint = keyedEndpoint(ctx, `${request.method} ${plainPath(request.path)}`);
  const keyed = { companyId: ctx.companyId, endpoint, key, bodyHash };
  const { answer, isReplayed } = await runIdempotently(ctx.db, keyed, work);
  if (isReplayed) headers.set("idempotent-replayed", "true");
  return answer;
}

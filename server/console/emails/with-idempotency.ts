import { withIdempotency as withKey } from "#server/api/emails/with-idempotency.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { KeyLock } from "#server/core/sending/idempotency/acquire-key.ts";
import type { ApiRequest } from "#server/http/api-request.ts";

/** Runs `work` once per `attempt`, which serves as the idempotency key. Without one, just runs it. */
export function withIdempotency<Answer>(
  call: { ctx: Context; request: ApiRequest; headers: Headers },
  attempt: string | undefined,
  work: (keyLock: KeyLock | null) => Promise<Answer>,
): Promise<Answer> {
  if (attempt === undefined) return work(null);
  const request = {
    ...call.request,
    headers: { ...call.request.headers, "idempotency-key": attempt },
  };
  return withKey({ ...call, request }, "", work);
}

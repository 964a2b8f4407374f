import { idempotently } from "#server/api/emails/idempotently.ts";
import type { Context } from "#server/core/shared/context.ts";
import type { Claim } from "#server/core/sending/idempotency/claim-key.ts";
import type { ApiRequest } from "#server/http/api-request.ts";

/** Does `work` once for each attempt that a page names, like the API does for its idempotency keys. */
export function once<Answer>(
  call: { ctx: Context; request: ApiRequest; headers: Headers },
  attempt: string | undefined,
  work: (claim: Claim | null) => Promise<Answer>,
): Promise<Answer> {
  if (attempt === undefined) return work(null);
  const request = {
    ...call.request,
    headers: { ...call.request.headers, "idempotency-key": attempt },
  };
  return idempotently({ ...call, request }, "", work);
}

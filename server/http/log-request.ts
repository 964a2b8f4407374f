import { Refusal } from "#server/core/refusals.ts";
import { createLogger } from "#server/processes/logger.ts";

import type { Caller } from "./authenticate.ts";
import type { AnyEndpoint } from "./endpoint.ts";

const logger = createLogger("web");

type Answered = {
  request: Request;
  response: Response;
  endpoint: AnyEndpoint | null;
  caller: Caller | null;
  failure: unknown;
  /** From `performance.now()`. */
  startedAt: number;
};

/** One line for each request: who asked for what and what came of it. Never bodies, queries or secrets. */
export function logRequest({ request, response, endpoint, caller, failure, startedAt }: Answered) {
  const line = {
    requestId: request.headers.get("x-request-id"),
    method: request.method,
    path: endpoint?.path ?? new URL(request.url).pathname.slice(0, 200),
    status: response.status,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
    ...(caller?.kind === "key" && { companyId: caller.key.companyId, keyId: caller.key.keyId }),
    ...(caller?.kind === "admin" && {
      companyId: caller.signedIn.companyId,
      adminId: caller.signedIn.id,
    }),
  };
  if (failure !== null && !(failure instanceof Refusal) && response.status >= 500)
    logger.error({ ...line, err: failure }, "request failed");
  else logger.info(line, "request");
}

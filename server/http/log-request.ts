import { Refusal } from "#server/core/shared/refusals.ts";
import { createLogger } from "#server/processes/logger.ts";

import type { ApiAnswer } from "./answer.ts";
import type { ArrivingRequest } from "./api-request.ts";
import type { Caller } from "./authenticate.ts";
import type { AnyEndpoint } from "./endpoint.ts";

const logger = createLogger("web");

type Answered = {
  request: ArrivingRequest;
  answer: ApiAnswer;
  endpoint: AnyEndpoint | null;
  caller: Caller | null;
  failure: unknown;
  /** From `performance.now()`. */
  startedAt: number;
};

/** Logs one line per request: caller, endpoint and outcome. Never bodies, query strings or secrets. */
export function logRequest({ request, answer, endpoint, caller, failure, startedAt }: Answered) {
  const line = {
    requestId: request.requestId,
    method: request.method,
    path: endpoint?.path ?? request.path.slice(0, 200),
    status: answer.status,
    ms: Math.round((performance.now() - startedAt) * 10) / 10,
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

import type { z } from "zod";

import {
  BlockedAddress,
  requireNoOverdueInvoice,
} from "#server/core/access/api-keys/authenticate-key.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { type Admission, admitRequest } from "#server/core/platform/limits/admit-request.ts";
import {
  acquireLargeBodySlot,
  LARGE_BODY_BYTES,
  requireLargeBodySlot,
  tooManyLargeBodies,
} from "#server/core/platform/limits/large-bodies.ts";
import { SharedMemory } from "#server/core/platform/limits/shared-memory.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { maskJson, maskText } from "#server/core/access/request-log/masked-body.ts";
import { recordRequest } from "#server/core/access/request-log/request-log.ts";
import { db } from "#server/db/pool.ts";
import { requestLanguage } from "#server/universal/texts/languages.ts";

import { answer, answerDownload, type ApiAnswer, logRequest, refuse } from "./answer.ts";
import type { ApiRequest, ArrivingRequest } from "./api-request.ts";
import { authenticate, type Caller, requirePermission, requirePrivilege } from "./authenticate.ts";
import { Download } from "./downloads.ts";
import { type AnyEndpoint, isForOurPages, notFoundMessage } from "./endpoint.ts";
import { parse } from "./parse.ts";
import { parseBody, readBody } from "./read-body.ts";

/** Path parameters, percent-decoded. */
export type PathParams = Record<string, string>;

/** State of a request in progress. */
type Progress = {
  caller: Caller | null;
  admission: Admission | null;
  /** Called when the request is answered, successfully or not. */
  held: (() => void)[];
  /** The masked body and its size, for the log of API requests. */
  masked: { masked: unknown; size: number } | null;
};

const USER_AGENT_MAX = 300;

/** Authenticates and admits a request, validates its input and runs the endpoint. Never rejects. */
export function serve(
  endpoint: AnyEndpoint,
  request: ArrivingRequest,
  params: PathParams,
): Promise<ApiAnswer> {
  return answerAndRecord(request, endpoint, async (progress) => {
    const caller = await authenticate(endpoint, request);
    progress.caller = caller;
    if (caller.kind === "key") {
      await admit(caller.key.companyId, progress);
      requireNoOverdueInvoice(caller.key);
    }
    requirePermission(caller, endpoint);
    requirePrivilege(caller, endpoint);
    const body = endpoint.body ? await readRequestBody(endpoint, request, progress) : null;
    const input = await readInput(endpoint, request, { params, body, progress });
    const headers = new Headers();
    const call = { ...buildCall(caller), ...input, request: toApiRequest(request, body), headers };
    const handled = await endpoint.handle(call);
    const response = endpoint.response ? endpoint.response.parse(handled) : handled;
    return response instanceof Download
      ? answerDownload(response, headers)
      : answer(response, headers);
  });
}

/** Answers a request that no endpoint handles with an error. */
export const serveRefusal = (request: ArrivingRequest, refusal: Refusal): Promise<ApiAnswer> =>
  answerAndRecord(request, null, () => Promise.reject(refusal));

async function answerAndRecord(
  request: ArrivingRequest,
  endpoint: AnyEndpoint | null,
  work: (progress: Progress) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const startedAt = performance.now();
  const progress: Progress = { caller: null, admission: null, held: [], masked: null };
  let failure: unknown = null;
  const given = await work(progress)
    .catch((error: unknown) => {
      failure = error;
      return refuse(error, {
        isForOurPages: endpoint !== null && isForOurPages(endpoint),
        ...(request.path.startsWith("/account/") && { language: requestLanguage(request.headers) }),
      });
    })
    .finally(() => {
      for (const giveUp of progress.held) giveUp();
    });
  if (progress.admission) setRateLimitHeaders(given.headers, progress.admission, failure);
  const { caller } = progress;
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  recordApiRequest(request, { given, progress, failure, ms });
  logRequest({ request, answer: given, endpoint, caller, failure, ms });
  return given;
}

async function admit(companyId: string, progress: Progress): Promise<void> {
  const admission = await admitRequest({ db: db(), companyId });
  progress.admission = admission;
  progress.held.push(() => admission.release());
  if (admission.refusal) throw admission.refusal;
}

/** Omitted when a sending-only key calls another endpoint, although that request counts. */
function setRateLimitHeaders(
  headers: Headers,
  { limit, remaining }: Admission,
  failure: unknown,
): void {
  if (failure instanceof Refusal && failure.reason === "restricted_api_key") return;
  headers.set("ratelimit-limit", String(limit));
  headers.set("ratelimit-remaining", String(remaining));
  headers.set("ratelimit-reset", "1");
}

type Outcome = { given: ApiAnswer; progress: Progress; failure: unknown; ms: number };

/** Requests without a valid API key aren't recorded. */
function recordApiRequest(
  { method, path, headers, address }: ArrivingRequest,
  { given, progress: { caller, masked: body }, failure, ms }: Outcome,
) {
  const key =
    failure instanceof BlockedAddress ? failure.key : caller?.kind === "key" && caller.key;
  if (!key) return;
  recordRequest(db(), {
    companyId: key.companyId,
    apiKeyId: key.keyId,
    method,
    endpoint: path,
    responseStatus: given.status,
    error: given.error,
    message: failure instanceof Refusal ? failure.message : null,
    durationMs: ms,
    clientAddress: address,
    userAgent: headers["user-agent"]?.slice(0, USER_AGENT_MAX) ?? null,
    body,
  });
}

/** Memory for large uploads; one company can use at most a quarter. */
const memory = new SharedMemory();

/** Large bodies count against the company of the key, admin or mailbox user; public endpoints take none. */
async function readRequestBody(
  { bodyLimit = "general" }: AnyEndpoint,
  request: ArrivingRequest,
  { caller, held }: Progress,
): Promise<Buffer> {
  const companyId = caller && companyOf(caller);
  const body = await readBody(request, bodyLimit, {
    async begin() {
      if (companyId) await requireLargeBodySlot({ db: db(), companyId });
    },
    take(bytes) {
      if (!memory.take(companyId, bytes)) throw tooManyLargeBodies();
      held.push(() => memory.give(companyId, bytes));
    },
  });
  if (companyId && body.length > LARGE_BODY_BYTES)
    held.push(await acquireLargeBodySlot({ db: db(), companyId }));
  return body;
}

function companyOf(caller: Caller): string | null {
  switch (caller.kind) {
    case "key":
      return caller.key.companyId;
    case "admin":
      return caller.signedIn.companyId;
    case "mailbox":
      return caller.mailbox.companyId;
    case "public":
      return null;
  }
}

type Given = { params: PathParams; body: Buffer | null; progress: Progress };

async function readInput(
  endpoint: AnyEndpoint,
  request: ArrivingRequest,
  { params, body, progress }: Given,
) {
  const query = queryObject(request.query);
  return {
    params: parseParams(endpoint, isForOurPages(endpoint) ? query : params),
    query: endpoint.query && parse(endpoint.query, query, endpoint),
    body:
      endpoint.body && body
        ? parse(endpoint.body, await readJson(endpoint.body, body, progress), endpoint)
        : undefined,
  };
}

/** An empty request is a missing body if the schema allows that; otherwise it is invalid JSON. */
async function readJson(schema: z.ZodType, body: Buffer, progress: Progress): Promise<unknown> {
  if (body.length === 0 && schema.safeParse(undefined).success) return undefined;
  const { caller } = progress;
  const isLogged = caller?.kind === "key" && caller.key.company.logsRequestBodies;
  if (!isLogged) return parseBody(body);
  const log = (masked: unknown) => (progress.masked = { masked, size: body.length });
  const value = await parseBody(body).catch((error: unknown) => {
    log(maskText(body));
    throw error;
  });
  log(maskJson(value));
  return value;
}

function toApiRequest(arriving: ArrivingRequest, body: Buffer | null): ApiRequest {
  const { method, path, headers, address, requestId } = arriving;
  return { method, path, headers, address, requestId, body };
}

/** A malformed id cannot exist, so it is a 404, not a 422. */
function parseParams(endpoint: AnyEndpoint, params: Record<string, unknown>): unknown {
  if (!endpoint.params) return undefined;
  const result = endpoint.params.safeParse(params);
  if (!result.success) throw new Refusal("not_found", notFoundMessage(endpoint.params));
  return result.data;
}

/** A repeated parameter becomes a list. */
function queryObject(text: string): Record<string, string | string[]> {
  const query = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}

function buildCall(caller: Caller) {
  if (caller.kind === "public") return { db: db() };
  if (caller.kind === "key") return { ctx: contextOfKey(caller), key: caller.key };
  if (caller.kind === "mailbox") return { ctx: contextOfMailbox(caller), mailbox: caller.mailbox };
  return { ctx: contextOfAdmin(caller), signedIn: caller.signedIn };
}

function contextOfKey({ key }: Caller & { kind: "key" }): Context {
  const { keyId, keyName, adminId, isTest } = key;
  const actor = { kind: "api_key", keyId, keyName, adminId } as const;
  return { ...createContext(db(), key.companyId, actor), isTest };
}

const contextOfMailbox = ({ mailbox }: Caller & { kind: "mailbox" }): Context =>
  createContext(db(), mailbox.companyId, { kind: "mailbox", address: mailbox.address });

function contextOfAdmin({ signedIn }: Caller & { kind: "admin" }): Context {
  const { id: adminId, email, companyId, providerId } = signedIn;
  const isConfined = providerId !== null;
  return createContext(db(), companyId, { kind: "admin", adminId, email, isConfined });
}

import type { Context } from "#server/core/context.ts";
import { requireNoOverdueInvoice } from "#server/core/api-keys/authenticate-key.ts";
import { Refusal } from "#server/core/refusals.ts";
import { db } from "#server/db/pool.ts";

import { answer, refuse } from "./answer.ts";
import { authenticate, type Caller, requirePermission, requirePrivilege } from "./authenticate.ts";
import type { AnyEndpoint, Method } from "./endpoint.ts";
import { logRequest } from "./log-request.ts";
import { parse } from "./parse.ts";
import { readJsonBody } from "./read-body.ts";

type RouteContext = { params: Promise<Record<string, string | string[]>> };
type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>;
type RouteMethod = Method | "PUT" | "OPTIONS";

const METHODS: RouteMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The route handlers of one path. All methods are there, so that a known path with a wrong method is
 * answered by us.
 */
export function serve(...endpoints: AnyEndpoint[]): Record<RouteMethod, RouteHandler> {
  const allowed = endpoints.map((endpoint) => endpoint.method).join(", ");
  const handlers = METHODS.map((method) => {
    const endpoint = endpoints.find((candidate) => candidate.method === method);
    return [method, endpoint ? run(endpoint) : refuseMethod(allowed)];
  });
  return Object.fromEntries(handlers) as Record<RouteMethod, RouteHandler>;
}

/** The route handlers of every path that is not one. */
export function serveUnknownPaths(): Record<RouteMethod, RouteHandler> {
  const handler: RouteHandler = (request) => {
    const { pathname } = new URL(request.url);
    return logged(request, null, () =>
      Promise.reject(new Refusal("not_found", `No endpoint at ${pathname}`)),
    );
  };
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<
    RouteMethod,
    RouteHandler
  >;
}

const refuseMethod =
  (allowed: string): RouteHandler =>
  async (request) => {
    const response = await logged(request, null, () =>
      Promise.reject(new Refusal("method_not_allowed", `This path takes ${allowed}`)),
    );
    response.headers.set("allow", allowed);
    return response;
  };

const run =
  (endpoint: AnyEndpoint): RouteHandler =>
  (request, context) =>
    logged(request, endpoint, async (log) => {
      const caller = await authenticate(endpoint, request);
      log.caller = caller;
      if (caller.kind === "key") requireNoOverdueInvoice(caller.key);
      requirePermission(caller, endpoint);
      requirePrivilege(caller, endpoint.privilege);
      const input = await readInput(endpoint, request, await context.params);
      const headers = new Headers();
      const result = await endpoint.handle({ ...callOf(caller, request), ...input, headers });
      return answer(endpoint.response.parse(result), headers);
    });

type RequestLog = { caller: Caller | null };

async function logged(
  request: Request,
  endpoint: AnyEndpoint | null,
  work: (log: RequestLog) => Promise<Response>,
): Promise<Response> {
  const startedAt = performance.now();
  const log: RequestLog = { caller: null };
  let failure: unknown = null;
  const response = await work(log).catch((error: unknown) => {
    failure = error;
    return refuse(error);
  });
  logRequest({ request, response, endpoint, caller: log.caller, failure, startedAt });
  return response;
}

async function readInput(
  endpoint: AnyEndpoint,
  request: Request,
  params: Record<string, string | string[]>,
) {
  const { searchParams } = new URL(request.url);
  return {
    params: parseParams(endpoint, params),
    query: endpoint.query && parse(endpoint.query, queryObject(searchParams), endpoint),
    body:
      endpoint.body &&
      parse(endpoint.body, await readJsonBody(request, endpoint.bodyLimit ?? "general"), endpoint),
  };
}

/** A path that cannot name an object names no object: 404, not 422. */
function parseParams(endpoint: AnyEndpoint, params: Record<string, string | string[]>): unknown {
  const result = endpoint.params?.safeParse(params);
  if (!result) return undefined;
  if (!result.success) throw new Refusal("not_found", endpoint.notFound ?? "Not found");
  return result.data;
}

/** A parameter given several times becomes a list. */
function queryObject(query: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0]! : values];
    }),
  );
}

function callOf(caller: Caller, request: Request) {
  if (caller.kind === "public") return { db: db(), request };
  if (caller.kind === "key") return { ctx: contextOfKey(caller), key: caller.key };
  return { ctx: contextOfAdmin(caller), signedIn: caller.signedIn };
}

function contextOfKey({ key }: Caller & { kind: "key" }): Context {
  return {
    db: db(),
    companyId: key.companyId,
    actor: { kind: "api_key", keyId: key.keyId, keyName: key.keyName, adminId: key.adminId },
    now: () => new Date(),
  };
}

function contextOfAdmin({ signedIn }: Caller & { kind: "admin" }): Context {
  return {
    db: db(),
    companyId: signedIn.companyId,
    actor: { kind: "admin", adminId: signedIn.id, email: signedIn.email },
    now: () => new Date(),
  };
}

import { Refusal } from "#server/core/shared/refusals.ts";

import type { ApiAnswer } from "./answer.ts";
import type { ArrivingRequest } from "./api-request.ts";
import type { AnyEndpoint, Method } from "./endpoint.ts";
import { type PathParams, serve, serveRefusal } from "./serve.ts";

/** Routes a request to its endpoint, or answers `not_found` or `method_not_allowed`. */
export type Router = (request: ArrivingRequest) => Promise<ApiAnswer>;

/** A node of the path tree, one level per segment. */
type Step = {
  literals: Map<string, Step>;
  parameter: Step | null;
  /** Endpoints whose path ends here, by method. */
  endpoints: Map<Method, AnyEndpoint>;
};

/** How many characters of an unknown path the error message quotes. */
const QUOTED_PATH_MAX = 200;

const METHODS: Method[] = ["GET", "POST", "PATCH", "DELETE"];

/**
 * Creates a router. Literal segments win over parameters (`/emails/metrics` over `/emails/{id}`); HEAD is
 * handled as GET.
 */
export function createRouter(endpoints: AnyEndpoint[]): Router {
  const root = newStep();
  for (const endpoint of endpoints) add(root, endpoint);
  return (request) => {
    const segments = splitPath(request.path);
    const found = segments && find(root, segments);
    if (!found) return serveRefusal(request, noSuchPath(request));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const endpoint = found.get(method as Method);
    if (endpoint) return serve(endpoint, request, extractParams(endpoint, segments));
    return refuseMethod(request, METHODS.filter((method) => found.has(method)).join(", "));
  };
}

const noSuchPath = ({ path }: ArrivingRequest) =>
  new Refusal("not_found", `No endpoint matches ${path.slice(0, QUOTED_PATH_MAX)}`);

const newStep = (): Step => ({ literals: new Map(), parameter: null, endpoints: new Map() });

function add(root: Step, endpoint: AnyEndpoint): void {
  let step = root;
  for (const segment of endpoint.path.split("/").filter(Boolean))
    if (isParameter(segment)) step = step.parameter ??= newStep();
    else {
      if (!step.literals.has(segment)) step.literals.set(segment, newStep());
      step = step.literals.get(segment)!;
    }
  const { method, path } = endpoint;
  if (step.endpoints.has(method)) throw new Error(`${method} ${path} is declared twice`);
  step.endpoints.set(method, endpoint);
}

const isParameter = (segment: string) => segment.startsWith("{");

/** Null for malformed percent-encoding or invalid UTF-8. */
function splitPath(path: string): string[] | null {
  const segments = path.split("/").filter(Boolean);
  if (!path.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return null;
  }
}

function find(step: Step, segments: string[], at = 0): Step["endpoints"] | null {
  if (at === segments.length) return step.endpoints.size > 0 ? step.endpoints : null;
  const literal = step.literals.get(segments[at]!);
  return (
    (literal && find(literal, segments, at + 1)) ??
    (step.parameter && find(step.parameter, segments, at + 1))
  );
}

function extractParams({ path }: AnyEndpoint, segments: string[]): PathParams {
  if (!path.includes("{")) return {};
  const names = path.split("/").filter(Boolean);
  return Object.fromEntries(
    names.flatMap((name, at) => (isParameter(name) ? [[name.slice(1, -1), segments[at]!]] : [])),
  );
}

async function refuseMethod(request: ArrivingRequest, allowed: string): Promise<ApiAnswer> {
  const refusal = new Refusal("method_not_allowed", `Method not allowed. Use ${allowed}`);
  const answer = await serveRefusal(request, refusal);
  answer.headers.set("allow", allowed);
  return answer;
}

import { Refusal } from "#server/core/shared/refusals.ts";

import type { ApiAnswer } from "./answer.ts";
import type { ArrivingRequest } from "./api-request.ts";
import type { AnyEndpoint, Method } from "./endpoint.ts";
import { type PathParams, serve, serveRefusal } from "./serve.ts";

/** Answers any request: by the endpoint it names, else with `not_found` or `method_not_allowed`. */
export type Router = (request: ArrivingRequest) => Promise<ApiAnswer>;

/** A path is a walk from the root, a step for each of its segments. */
type Step = {
  literals: Map<string, Step>;
  parameter: Step | null;
  /** The endpoints of the path that ends here. */
  endpoints: Map<Method, AnyEndpoint>;
};

/** Characters of an unknown path that its refusal repeats. */
const PATH_TOLD_MAX = 200;

const METHODS: Method[] = ["GET", "POST", "PATCH", "DELETE"];

/**
 * The router of `endpoints`. Of two paths that fit a request the one that names it more exactly counts:
 * `/emails/metrics` before `/emails/{id}`. HEAD is answered as GET is.
 */
export function createRouter(endpoints: AnyEndpoint[]): Router {
  const root = newStep();
  for (const endpoint of endpoints) add(root, endpoint);
  return (request) => {
    const segments = segmentsOf(request.path);
    const found = segments && find(root, segments);
    if (!found) return serveRefusal(request, noSuchPath(request));
    const method = request.method === "HEAD" ? "GET" : request.method;
    const endpoint = found.get(method as Method);
    if (endpoint) return serve(endpoint, request, paramsOf(endpoint, segments));
    return refuseMethod(request, METHODS.filter((method) => found.has(method)).join(", "));
  };
}

const noSuchPath = ({ path }: ArrivingRequest) =>
  new Refusal("not_found", `No endpoint has the path ${path.slice(0, PATH_TOLD_MAX)}`);

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

/** Half a percent code, or bytes that are no text, name nothing: null. */
function segmentsOf(path: string): string[] | null {
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

function paramsOf({ path }: AnyEndpoint, segments: string[]): PathParams {
  if (!path.includes("{")) return {};
  const names = path.split("/").filter(Boolean);
  return Object.fromEntries(
    names.flatMap((name, at) => (isParameter(name) ? [[name.slice(1, -1), segments[at]!]] : [])),
  );
}

async function refuseMethod(request: ArrivingRequest, allowed: string): Promise<ApiAnswer> {
  const refusal = new Refusal("method_not_allowed", `This path takes ${allowed}`);
  const answer = await serveRefusal(request, refusal);
  answer.headers.set("allow", allowed);
  return answer;
}

import type { z } from "zod";

import { Refusal } from "#server/core/refusals.ts";

import type { AnyEndpoint } from "./endpoint.ts";

/**
 * Checks input against the declaration; the first problem becomes the refusal.
 *
 * A field that is absent is `missing_required_field` where the endpoint declares that reason, else it
 * is invalid like any other.
 */
export function parse<S extends z.ZodType>(
  schema: S,
  input: unknown,
  endpoint: AnyEndpoint,
): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;

  const issue = deepest(result.error.issues[0]!);
  const field = fieldName(issue.path);
  if (field && isAbsent(issue) && endpoint.refusals.includes("missing_required_field"))
    throw new Refusal("missing_required_field", `Missing required field: ${field}`);
  throw new Refusal("invalid", field ? `${field}: ${issue.message}` : issue.message);
}

const isAbsent = (issue: z.core.$ZodIssue) =>
  issue.path.length === 1 &&
  issue.code !== "custom" &&
  (issue.input === undefined || issue.input === null || issue.input === "");

/** Of a union the branch that got furthest says most about what is wrong. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union" || issue.input === undefined) return issue;
  const nested = issue.errors
    .flat()
    .map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
    .filter((inner) => inner.code !== "invalid_type" || inner.path.length > issue.path.length);
  return nested[0] ?? issue;
}

function fieldName(path: PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

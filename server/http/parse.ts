import type { z } from "zod";

import { Refusal, type RefusalReason } from "#server/core/shared/refusals.ts";

import type { AnyEndpoint } from "./endpoint.ts";
import { reasonOf } from "./issue-reason.ts";

type Issue = z.core.$ZodIssue;

/**
 * Checks input against the declaration; the first problem becomes the refusal.
 *
 * A field that is absent or null is `missing_required_field` where the endpoint declares that reason,
 * before any other problem is reported except an unsupported field; else it is invalid like any other.
 */
export function parse<S extends z.ZodType>(
  schema: S,
  input: unknown,
  endpoint: AnyEndpoint,
): z.output<S> {
  const parsed = tryParse(schema, input, endpoint.refusals);
  if ("refusal" in parsed) throw parsed.refusal;
  return parsed.data;
}

/** As `parse`, with the refusal returned: where one of several inputs may be wrong. */
export function tryParse<S extends z.ZodType>(
  schema: S,
  input: unknown,
  reasons: readonly RefusalReason[],
): { data: z.output<S> } | { refusal: Refusal } {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return { data: result.data };

  const { issues } = result.error;
  const first = issues.find(isFirst);
  const missing = first ? undefined : issues.find(isMissingField);
  if (missing && reasons.includes("missing_required_field"))
    return {
      refusal: new Refusal(
        "missing_required_field",
        `Missing required field: ${fieldName(missing.path)}`,
      ),
    };
  const issue = deepest(first ?? missing ?? issues[0]!);
  const field = fieldName(issue.path);
  const message = messageOf(issue);
  return { refusal: new Refusal(reasonOf(issue), field ? `${field}: ${message}` : message) };
}

/** Unsupported fields first, since they explain why others are missing. */
const isFirst = (issue: Issue) => issue.code === "custom" && issue.params?.first === true;

const isMissingField = (issue: Issue) =>
  issue.path.length === 1 &&
  issue.code !== "custom" &&
  (issue.input === undefined || issue.input === null);

/** Of a union, the branch that got furthest says most about what is wrong; else its own words, if it has some. */
function deepest(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const branches = issue.errors
    .flat()
    .map((inner) => deepest({ ...inner, path: [...issue.path, ...inner.path] }));
  const [further] = branches.filter(
    ({ code, path }) =>
      path.length > issue.path.length || (code !== "invalid_type" && code !== "invalid_value"),
  );
  return further ?? (issue.message === UNION_WITHOUT_WORDS ? (branches[0] ?? issue) : issue);
}

/** What zod says of a union that declares no message. */
const UNION_WITHOUT_WORDS = "Invalid input";

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function messageOf(issue: Issue): string {
  if (issue.code !== "invalid_type" || !issue.message.startsWith("Invalid input"))
    return issue.message;
  const expected = KINDS[issue.expected] ?? issue.expected;
  if (issue.path.length === 0) return `The body must be ${expected}`;
  return `must be ${expected}${issue.input === undefined ? "" : `, not ${kindOf(issue.input)}`}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  const kind = Array.isArray(value) ? "array" : typeof value;
  return kind === "boolean" ? "a boolean" : (KINDS[kind] ?? kind);
}

/** `to[1]`, `tags[0].name` */
function fieldName(path: PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

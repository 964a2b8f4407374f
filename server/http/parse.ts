import { z } from "zod";

import {
  type FieldProblem,
  Refusal,
  type RefusalReason,
  refusals,
} from "#server/core/shared/refusals.ts";

import type { AnyEndpoint } from "./endpoint.ts";

type Issue = z.core.$ZodIssue;

/** More invalid fields than a form has. */
const FIELDS_MAX = 100;

/**
 * Validates input against a schema. The error's message is about the first problem; its `fields` list all.
 *
 * If the endpoint declares `missing_required_field`, as those of our pages do, absent and null fields are reported as that error,
 * before any other problem except an unsupported field.
 */
export function parse<S extends z.ZodType>(
  schema: S,
  input: unknown,
  endpoint: AnyEndpoint,
): z.output<S> {
  return parseOrThrow(schema, input, endpoint.refusals ?? ["missing_required_field"]);
}

/**
 * Leaves validation to the handler, which gets a function that returns the valid input or throws as `parse`. A handler
 * with an `Idempotency-Key` calls it once the key turns out to be new: what was valid when the first request arrived, such
 * as a time, may no longer be when it is repeated.
 */
export function deferred<S extends z.ZodType>(schema: S, reasons: readonly RefusalReason[]) {
  return z
    .custom<z.input<S>>((input) => input !== undefined)
    .transform((input) => () => parseOrThrow(schema, input, reasons))
    .meta(z.globalRegistry.get(schema) ?? {});
}

function parseOrThrow<S extends z.ZodType>(
  schema: S,
  input: unknown,
  reasons: readonly RefusalReason[],
): z.output<S> {
  const parsed = tryParse(schema, input, reasons);
  if ("refusal" in parsed) throw parsed.refusal;
  return parsed.data;
}

/** Like `parse`, but returns the error instead of throwing it. */
export function tryParse<S extends z.ZodType>(
  schema: S,
  input: unknown,
  reasons: readonly RefusalReason[],
): { data: z.output<S> } | { refusal: Refusal } {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return { data: result.data };

  const { issues } = result.error;
  const first = issues.find(isUnsupportedField);
  const missing = first ? undefined : issues.find(isMissingField);
  if (missing && reasons.includes("missing_required_field"))
    return {
      refusal: new Refusal(
        "missing_required_field",
        `Missing required field: ${fieldName(missing.path)}`,
        { fields: fieldProblems(issues) },
      ),
    };
  const issue = mostSpecificIssue(first ?? missing ?? issues[0]!);
  const field = fieldName(issue.path);
  const text = formatIssue(issue);
  const message = field ? `${field}: ${text}` : text;
  return { refusal: new Refusal(reasonOf(issue), message, { fields: fieldProblems(issues) }) };
}

/** The first problem of each field. */
function fieldProblems(issues: Issue[]): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  for (const issue of issues.slice(0, FIELDS_MAX).map(mostSpecificIssue)) {
    const path = fieldName(issue.path);
    if (path === "" || problems.has(path)) continue;
    const problem = isMissingField(issue)
      ? { code: "required", message: "is required" }
      : {
          code: issue.code === "custom" ? reasonOf(issue) : issue.code,
          message: formatIssue(issue),
        };
    problems.set(path, { path, ...problem });
  }
  return [...problems.values()];
}

/** Unsupported fields come first, because they explain why others are missing. */
const isUnsupportedField = (issue: Issue) =>
  issue.code === "custom" && issue.params?.first === true;

const isMissingField = (issue: Issue) =>
  issue.path.length === 1 &&
  issue.code !== "custom" &&
  (issue.input === undefined || issue.input === null);

/** In a union, the branch that matched furthest explains the problem best; otherwise the union's own message. */
function mostSpecificIssue(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const branches = issue.errors
    .flat()
    .map((inner) => mostSpecificIssue({ ...inner, path: [...issue.path, ...inner.path] }));
  const [further] = branches.filter(
    ({ code, path }) =>
      path.length > issue.path.length || (code !== "invalid_type" && code !== "invalid_value"),
  );
  return further ?? (issue.message === GENERIC_UNION_MESSAGE ? (branches[0] ?? issue) : issue);
}

/** zod's message for a union without one of its own. */
const GENERIC_UNION_MESSAGE = "Invalid input";

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function formatIssue(issue: Issue): string {
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

/**
 * The same schema, but its issues fail the request with the error `reason`. Messages stay the schema's.
 */
export function withReason<S extends z.ZodType>(reason: RefusalReason, schema: S) {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  delete json.$schema;
  return z
    .custom<z.input<S>>()
    .transform((input, context): z.output<S> => {
      const result = schema.safeParse(input);
      if (result.success) return result.data;
      for (const { message, path } of result.error.issues)
        context.addIssue(reasonIssue(reason, message, path));
      return z.NEVER;
    })
    .meta(json);
}

/** A zod issue that fails the request with the error `reason`. */
export const reasonIssue = (reason: RefusalReason, message: string, path: PropertyKey[] = []) => ({
  code: "custom" as const,
  message,
  path,
  params: { reason },
});

/** The error an issue fails the request with. */
function reasonOf(issue: z.core.$ZodIssue): RefusalReason {
  const reason: unknown = issue.code === "custom" ? issue.params?.reason : undefined;
  return isReason(reason) ? reason : "invalid";
}

const isReason = (value: unknown): value is RefusalReason =>
  typeof value === "string" && Object.hasOwn(refusals, value);

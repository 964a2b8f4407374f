import { z } from "zod";

import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";

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
export function reasonIssue(reason: RefusalReason, message: string, path: PropertyKey[] = []) {
  return { code: "custom" as const, message, path, params: { reason } };
}

/** The error an issue fails the request with. */
export function reasonOf(issue: z.core.$ZodIssue): RefusalReason {
  const reason: unknown = issue.code === "custom" ? issue.params?.reason : undefined;
  return isReason(reason) ? reason : "invalid";
}

const isReason = (value: unknown): value is RefusalReason =>
  typeof value === "string" && Object.hasOwn(refusals, value);

import { z } from "zod";

import { type RefusalReason, refusals } from "#server/core/shared/refusals.ts";

/**
 * The same schema, for what the error table has a name of its own for: whatever is wrong is answered
 * as `reason`, in the words of the schema.
 */
export function refusedAs<S extends z.ZodType>(reason: RefusalReason, schema: S) {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  delete json.$schema;
  return z
    .custom<z.input<S>>()
    .transform((input, context): z.output<S> => {
      const result = schema.safeParse(input);
      if (result.success) return result.data;
      for (const { message, path } of result.error.issues)
        context.addIssue(issueAs(reason, message, path));
      return z.NEVER;
    })
    .meta(json);
}

/** A broken rule that is answered as `reason`. */
export function issueAs(reason: RefusalReason, message: string, path: PropertyKey[] = []) {
  return { code: "custom" as const, message, path, params: { reason } };
}

/** What a broken rule is answered as. */
export function reasonOf(issue: z.core.$ZodIssue): RefusalReason {
  const reason: unknown = issue.code === "custom" ? issue.params?.reason : undefined;
  return isReason(reason) ? reason : "invalid";
}

const isReason = (value: unknown): value is RefusalReason =>
  typeof value === "string" && Object.hasOwn(refusals, value);

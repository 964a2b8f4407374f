import { z } from "zod";

import { VALUE_MAX, VARIABLES_MAX } from "#server/core/sending/templates/limits.ts";
import { VARIABLE_KEY } from "#server/core/sending/templates/variables.ts";
import { boundedRecord } from "#server/http/bounded.ts";

import { hasValue } from "./has-value.ts";

const ID_MAX = 100;

/** Whether the body of a send request uses a template. */
export const hasTemplate = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "template" in body && hasValue(body.template);

function valueProblem(key: string, value: unknown): string | null {
  if (!VARIABLE_KEY.test(key))
    return `${JSON.stringify(key.slice(0, 80))} is not a variable name: use 1 to 50 letters, digits or underscores`;
  if (typeof value === "string")
    return value.length > VALUE_MAX ? `'${key}' must be at most ${VALUE_MAX} characters` : null;
  if (typeof value !== "number") return `'${key}' must be a string or a number`;
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? null : `'${key}' is too large`;
}

/** The `template` of an email. */
export const TemplateCall = z
  .object({
    id: z
      .string()
      .min(1, { error: "is required" })
      .max(ID_MAX)
      .describe("ID or alias of a published template"),
    variables: boundedRecord(VARIABLES_MAX, valueProblem, z.union([z.string(), z.number()]))
      .nullish()
      .describe(
        "Values by variable name: strings of up to 2,000 characters, or numbers. Those without a fallback value are required. Values are inserted as they are, also into HTML: escape what users have entered",
      ),
  })
  .transform(({ id, variables }) => ({ id, variables: variables ?? {} }))
  .describe(
    "Content from a template, in place of `html` and `text`. `from`, `subject` and `reply_to` of the email override the template's",
  );

import { z } from "zod";

/**
 * A list of at most `max` items. A longer one is refused before its items are looked at: a body may
 * hold millions, and each wrong one would cost an issue of its own.
 */
export function boundedList<Item extends z.ZodType>(item: Item, max: number) {
  const list = z.array(item);
  return z
    .custom<z.input<Item>[]>()
    .superRefine((input: unknown, context) => {
      if (!Array.isArray(input))
        context.addIssue({ code: "invalid_type", expected: "array", input });
      else if (input.length > max) context.addIssue(`must have at most ${max} entries`);
    })
    .meta(documentedAs(list.max(max)))
    .pipe(list);
}

/**
 * An object of at most `max` names, each checked with its value by `problemOf`. `[]` and "" count as
 * an empty one: that is how PHP and form-like clients write it.
 */
export function boundedRecord(
  max: number,
  problemOf: (name: string, value: unknown) => string | null,
) {
  return z
    .custom<Record<string, string>>()
    .superRefine((input: unknown, context) => {
      if (isEmpty(input)) return;
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return context.addIssue({ code: "invalid_type", expected: "record", input });
      const entries: [string, unknown][] = Object.entries(input);
      if (entries.length > max) return context.addIssue(`must have at most ${max} entries`);
      const problem = entries.map(([name, value]) => problemOf(name, value)).find(Boolean);
      if (problem) context.addIssue(problem);
    })
    .transform((record) => (isEmpty(record) ? {} : record))
    .meta({ ...documentedAs(z.record(z.string(), z.string())), maxProperties: max });
}

const isEmpty = (input: unknown) => input === "" || (Array.isArray(input) && input.length === 0);

function documentedAs(schema: z.ZodType): z.core.GlobalMeta {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  delete json.$schema;
  return json;
}

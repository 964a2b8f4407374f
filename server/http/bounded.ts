import { z } from "zod";

/**
 * A list of at most `max` items. Its length is checked before its items: a body can contain millions,
 * and zod creates an issue for each invalid one.
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
 * An object of at most `max` properties, each checked by `problemOf`. `[]` and "" count as empty, because
 * PHP and form-like clients encode empty objects that way.
 */
export function boundedRecord<Value extends z.ZodType = z.ZodString>(
  max: number,
  problemOf: (name: string, value: unknown) => string | null,
  documentedValue?: Value,
) {
  return z
    .custom<Record<string, z.output<Value>>>()
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
    .meta({
      ...documentedAs(z.record(z.string(), documentedValue ?? z.string())),
      maxProperties: max,
    });
}

const isEmpty = (input: unknown) => input === "" || (Array.isArray(input) && input.length === 0);

function documentedAs(schema: z.ZodType): z.core.GlobalMeta {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  delete json.$schema;
  return json;
}

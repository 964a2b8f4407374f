import { z } from "zod";

const isBlank = (value: unknown) => typeof value === "string" && value.trim() === "";

/** Blank text counts as missing. */
export const blankIsMissing = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (isBlank(value) ? undefined : value), schema);

/** "" counts as null, as clients send it for optional fields. */
export const emptyIsNull = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === "" ? null : value), schema);

/** Text of 1 to `max` characters after trimming. */
export const trimmedText = (max: number) =>
  z.string().trim().min(1, { error: "is required" }).max(max);

/** A typed password. Never trimmed. */
export const Password = z.string().min(1, { error: "is required" }).max(1000);

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

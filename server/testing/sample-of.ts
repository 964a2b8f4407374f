import { z } from "zod";

/** The parts of JSON Schema that request schemas use. */
export type Shape = {
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  allOf?: Shape[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
  format?: string;
};

const shapes = new WeakMap<z.ZodType, Shape>();

/** Converts each schema once, because tests ask for its shape with each call. */
export function shapeOf(schema: z.ZodType | undefined): Shape {
  if (!schema) return {};
  const shape =
    shapes.get(schema) ??
    (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Shape);
  shapes.set(schema, shape);
  return shape;
}

export function propertiesOf({ properties, allOf = [] }: Shape): Record<string, Shape> {
  return Object.assign({ ...properties }, ...allOf.map(propertiesOf)) as Record<string, Shape>;
}

type Names = { id: string; text: string };

/**
 * A value that the schema accepts, or nearly.
 *
 * @param names values for ids and for all other strings
 */
export function sampleOf(shape: Shape, names: Names): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.anyOf) return sampleOf(shape.anyOf[0]!, names);
  const fields = Object.entries(propertiesOf(shape));
  if (fields.length > 0)
    return Object.fromEntries(fields.map(([name, each]) => [name, sampleOf(each, names)]));
  return simpleSampleOf(shape, names);
}

const SIMPLE: Record<string, unknown> = { number: 1, integer: 1, boolean: false };

function simpleSampleOf({ type = "", format, items }: Shape, names: Names): unknown {
  if (type === "string") return format === "uuid" ? names.id : names.text;
  if (type === "array") return items ? [sampleOf(items, names)] : [];
  return SIMPLE[type] ?? null;
}

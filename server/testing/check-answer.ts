import { z } from "zod";

import type { ApiEndpoint } from "#server/http/endpoint.ts";
import { openapiDocument } from "#server/http/openapi.ts";

type Check = (status: number, body: unknown) => void;

const checks = new WeakMap<ApiEndpoint, Check>();

/**
 * Checks a response against the OpenAPI document. Throws for an undocumented status, error name or field, and
 * for a documented field that is missing.
 */
export function checkAnswer(
  endpoint: ApiEndpoint,
  { status, body }: { status: number; body: unknown },
): void {
  let check = checks.get(endpoint);
  if (!check) checks.set(endpoint, (check = checkOf(endpoint)));
  check(status, body);
}

function checkOf(endpoint: ApiEndpoint): Check {
  const { paths, components } = openapiDocument([endpoint], "http://localhost");
  const { responses } = paths[endpoint.path]![endpoint.method.toLowerCase()]!;
  const described = new Map(
    Object.entries(responses).map(([status, { content }]) => [
      Number(status),
      content?.["application/json"] ?? null,
    ]),
  );
  const success = schemaOf(described.get(200)!.schema, components.schemas);
  return (status, body) => {
    const where = `${endpoint.method} ${endpoint.path} answered ${status}`;
    if (!described.has(status)) throw new Error(`${where}, which its document does not have`);
    const content = described.get(status);
    if (!content !== (body === null))
      throw new Error(`${where} ${body === null ? "without" : "with"} a body, unlike its document`);
    if (!content) return;
    const result = (status === 200 ? success : RefusalBody).safeParse(body);
    if (!result.success)
      throw new Error(`${where}, unlike its document:\n${z.prettifyError(result.error)}`);
    if (status === 200) return;
    const { name } = body as z.output<typeof RefusalBody>;
    if (!(name in (content.examples ?? {})))
      throw new Error(`${where} ${name}, which its document does not have`);
  };
}

const RefusalBody = z.strictObject({ statusCode: z.int(), name: z.string(), message: z.string() });

/** Turns a schema of the document into a validator, independent of the declaration it was generated from. */
function schemaOf(schema: object, components: object): z.ZodType {
  const self = JSON.stringify({ ...schema, $defs: components });
  return z.fromJSONSchema(
    JSON.parse(
      self.replaceAll("#/components/schemas/", "#/$defs/"),
    ) as z.core.JSONSchema.JSONSchema,
  );
}

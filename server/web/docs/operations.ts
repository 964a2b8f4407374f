import type { OpenapiDocument, Operation } from "#server/http/openapi.ts";

/** An operation with its method and path. */
export type Placed = { id: string; method: string; path: string; operation: Operation };

/** Lists the operations of a document in their order. */
export function operationsOf(document: OpenapiDocument): Placed[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** An error that endpoints return. */
export type DocumentedError = {
  id: string;
  status: string;
  /** Null for a response without a body. */
  name: string | null;
  meanings: Set<string>;
  /** The IDs of the operations that return it. */
  operations: Set<string>;
};

/** Collects the errors of all operations, in the order of their status. */
export function errorsOf(operations: Placed[]): DocumentedError[] {
  const errors = new Map<string, DocumentedError>();
  for (const { id, operation } of operations)
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      if (status === "200") continue;
      for (const [name, meaning] of namesIn(description, content !== undefined)) {
        const key = `error-${status}-${name ?? "none"}`;
        const error = errors.get(key) ?? {
          id: key,
          status,
          name,
          meanings: new Set<string>(),
          operations: new Set<string>(),
        };
        errors.set(key, error);
        error.meanings.add(meaning);
        error.operations.add(id);
      }
    }
  return [...errors.values()].sort((a, b) => Number(a.status) - Number(b.status));
}

/** The names in the description of a response, each with its meaning. */
const namesIn = (
  description: string,
  hasBody: boolean,
): [name: string | null, meaning: string][] =>
  hasBody
    ? description.split("\n\n").map((line) => {
        const [, name, meaning] = /^`(\w+)`: ([^]*)$/.exec(line)!;
        return [name!, meaning!];
      })
    : [[null, description]];

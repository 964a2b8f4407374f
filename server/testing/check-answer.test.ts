import { expect, test } from "vitest";
import { z } from "zod";

import { defineEndpoint } from "#server/http/endpoint.ts";

import { checkAnswer } from "./check-answer.ts";

const endpoint = defineEndpoint("GET", "/things/{id}", {
  summary: "Read a thing",
  permission: "full_access",
  privilege: null,
  response: z.object({
    id: z.uuid(),
    kind: z.object({ name: z.string().nullable() }).meta({ id: "CheckedKind" }),
    note: z.string().optional(),
  }),
  refusals: ["not_found"],
  handle: () => Promise.reject(new Error("Never called")),
});

const thing = { id: "0198c0de-0000-7000-8000-000000000000", kind: { name: null } };
const refusal = { statusCode: 404, name: "not_found", message: "No such thing" };

test.each([
  ["a success as described", 200, thing],
  ["an optional field", 200, { ...thing, note: "x" }],
  ["a refusal as described", 404, refusal],
])("accepts %s", (_, status, body) => {
  checkAnswer(endpoint, { status, body });
});

test.each([
  ["a field that is not described", 200, { ...thing, more: 1 }],
  ["one deep inside", 200, { ...thing, kind: { name: null, more: 1 } }],
  ["a missing field", 200, { id: thing.id }],
  ["a field of another type", 200, { ...thing, kind: { name: 7 } }],
  ["an id that is none", 200, { ...thing, id: "7" }],
  ["a body that is none", 200, null],
  ["a status that is not described", 409, refusal],
  ["an error name that is not described", 404, { ...refusal, name: "gone" }],
  ["a field more in a refusal", 404, { ...refusal, more: 1 }],
])("rejects %s", (_, status, body) => {
  expect(() => checkAnswer(endpoint, { status, body })).toThrow(/GET \/things\/\{id\} answered/);
});

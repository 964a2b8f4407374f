import { expect, test } from "vitest";
import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import type { AnyEndpoint, Permission } from "./endpoint.ts";

const anEndpoint = (permission: Permission, handle = () => Promise.resolve({})): AnyEndpoint => ({
  method: "POST",
  path: permission === "same_origin" ? "/console/api/things" : "/things",
  permission,
  privilege: null,
  body: z.object({
    name: z.string(),
    size: z.number({ error: "must be a number" }).max(3, "must be at most 3"),
    to: z.array(z.email("must be an address")),
  }),
  // Only endpoints of the public API declare it.
  ...(permission === "sending_access" && { response: z.object({}) }),
  refusals: ["invalid"],
  handle,
});

const ours = { "sec-fetch-site": "same-origin" };

test("our own pages get every invalid field at once", async () => {
  const body = { size: 4, to: ["ann@example.com", "ben"] };
  const answered = await call(anEndpoint("same_origin"), { headers: ours, body });
  expect(answered).toMatchObject({
    status: 422,
    body: {
      name: "validation_error",
      message: "name: must be a string",
      fields: [
        { path: "name", code: "required", message: "is required" },
        { path: "size", code: "too_big", message: "must be at most 3" },
        { path: "to[1]", code: "invalid_format", message: "must be an address" },
      ],
    },
  });
});

test("our own pages get the field of an error from the endpoint's rules", async () => {
  const taken = () => Promise.reject(new Refusal("invalid", "name: is already used"));
  const body = { name: "a", size: 1, to: [] };
  const answered = await call(anEndpoint("same_origin", taken), { headers: ours, body });
  expect(answered.body).toEqual({
    statusCode: 422,
    name: "validation_error",
    message: "name: is already used",
    fields: [{ path: "name", code: "invalid", message: "is already used" }],
  });
});

test("errors of the public API have no fields", async () => {
  const company = await aCompany();
  const { token } = await anApiKey(company.id);
  const answered = await call(anEndpoint("sending_access"), { key: token, body: {} });
  expect(answered.status).toBe(422);
  expect(answered.body).not.toHaveProperty("fields");
});

test("reports at most 100 invalid fields", async () => {
  const body = { name: "a", size: 1, to: Array.from({ length: 150 }, () => "ben") };
  const { body: error } = await call(anEndpoint("same_origin"), { headers: ours, body });
  expect(error).toHaveProperty("fields.length", 100);
});

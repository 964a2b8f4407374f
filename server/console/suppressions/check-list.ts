import { z } from "zod";

import {
  checkList as check,
  type RowResult,
} from "#server/core/sending/suppressions/import-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { UploadedRows, toUploadedRows } from "./uploaded-rows.ts";
import { SuppressionRow } from "./suppression-row.ts";

export const checkList = defineEndpoint({
  method: "POST",
  path: "/console/api/suppression-imports/check",
  summary: "Preview importing a suppression list without saving anything",
  permission: "console",
  privilege: "api_controls",
  bodyLimit: "sending",
  body: UploadedRows,
  response: z.object({
    format: z.string().describe("Format detected from the first row and the file name"),
    results: z
      .array(
        z.object({
          outcome: z.enum(["new", "already", "invalid", "header"]),
          address: z.string().describe("As written if it is invalid, otherwise in lowercase"),
          origin: SuppressionRow.shape.origin.nullable(),
          problem: z.string().nullable().describe("Why the row can't be imported"),
        }),
      )
      .describe("One for each row, in order"),
  }),
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const { format, results } = await check(ctx, toUploadedRows(body));
    return { format: format.name, results: results.map(toResult) };
  },
});

function toResult(row: RowResult) {
  const { outcome } = row;
  if (outcome === "header") return { outcome, address: "", origin: null, problem: null };
  if (outcome === "invalid")
    return { outcome, address: row.written, origin: null, problem: row.problem };
  const { email, origin } = row.entry;
  return { outcome, address: email, origin, problem: null };
}

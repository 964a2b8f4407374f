import { z } from "zod";

import type { Suppression } from "#drizzle/schema/index.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";
import {
  addSuppressions,
  getSuppression,
  removeSuppression,
  removeSuppressions,
} from "#server/core/sending/suppressions/suppressions.ts";
import { API_ORIGINS, SUPPRESSION_ORIGINS } from "#server/core/sending/suppressions/suppressed.ts";
import { listSuppressions } from "#server/core/sending/suppressions/search-suppressions.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { blankIsMissing, boundedList } from "#server/http/text-fields.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const BATCH_MAX = 100;

const INVALID_ADDRESS = "must be a valid email address";

/** One address without its display name. */
const Address = blankIsMissing(
  z.string().transform((written, context) => {
    const parsed = parseRecipient(written);
    if (parsed) return parsed.address;
    context.addIssue(INVALID_ADDRESS);
    return z.NEVER;
  }),
).meta({ type: "string" });

/** 1 to 100 entries; `readAddresses` and `readIds` validate each one. */
const Batch = boundedList(z.unknown(), BATCH_MAX)
  .refine((entries) => entries.length > 0, { error: "must have at least 1 entry" })
  .meta({ minItems: 1, items: { type: "string" } });

/**
 * The addresses of a batch, without display names.
 *
 * @throws Refusal `invalid`, naming the index of the first invalid entry
 */
const readAddresses = (entries: unknown[]) =>
  entries.map((entry, index) => {
    if (typeof entry !== "string") throw invalidEntry("Email", index, "must be a string");
    const parsed = parseRecipient(entry);
    if (!parsed) throw invalidEntry("Email", index, INVALID_ADDRESS);
    return parsed.address;
  });

/** The ids of a batch. Malformed ids match nothing and are not an error. */
const readIds = (entries: unknown[]) =>
  entries.map((entry, index) => {
    if (typeof entry !== "string") throw invalidEntry("Id", index, "must be a string");
    return entry;
  });

const invalidEntry = (kind: string, index: number, problem: string) =>
  new Refusal("invalid", `${kind} at index ${index}: ${problem}`);

const ApiOrigin = z.enum(["bounce", "complaint", "manual"]);

/** The stored origins that the API shows as this one. */
const storedOrigins = (shown: z.output<typeof ApiOrigin>): Suppression["origin"][] =>
  SUPPRESSION_ORIGINS.filter((origin) => API_ORIGINS[origin] === shown);

const object = z.literal("suppression").describe("Object type");

const id = z.uuid().describe("The suppression's ID; also the pagination cursor");

const SuppressionObject = z
  .object({
    object,
    id,
    email: z.string().describe("Lowercase address"),
    origin: ApiOrigin.describe(
      "Why the address is suppressed: a permanent bounce, a spam complaint, or `manual` for an entry by hand and for a recipient who unsubscribed",
    ),
    source_id: z
      .uuid()
      .nullable()
      .describe(
        "ID of the email that bounced, was reported, or was unsubscribed from; null for an entry by hand",
      ),
    created_at: z.string().describe("When the address was added"),
  })
  .meta({ id: "Suppression" });

/** A path parameter. Addresses contain an @, ids don't. */
const IdOrAddress = z.object({
  id: z
    .string()
    .describe("The suppression's ID or address. Case is ignored; URL-encoding the @ is optional"),
});

const SuppressionAdded = z.object({ object, id }).meta({ id: "SuppressionAdded" });

const SuppressionRemoved = z
  .object({ object, id, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "SuppressionRemoved" });

const suppressionObject = (row: Suppression): z.input<typeof SuppressionObject> => ({
  object: "suppression",
  id: row.id,
  email: row.email,
  origin: API_ORIGINS[row.origin],
  source_id: row.sourceId,
  created_at: apiTimestamp(row.createdAt),
});

const suppressionAdded = (id: string) => ({ object: "suppression" as const, id });

const suppressionRemoved = (id: string) => ({
  object: "suppression" as const,
  id,
  deleted: true as const,
});

export const suppressionsApi = {
  list: defineEndpoint("GET", "/suppressions", {
    summary: "List suppressions",
    description: "Newest first.",
    privilege: READ_EMAILS,
    query: PageQuery.and(
      z.object({ origin: ApiOrigin.optional().describe("Only suppressions with this origin") }),
    ),
    response: listResponse(SuppressionObject),
    handle: async ({ ctx, query }) =>
      listObject(
        await listSuppressions(ctx, query, query.origin ? storedOrigins(query.origin) : null),
        suppressionObject,
      ),
  }),

  add: defineEndpoint("POST", "/suppressions", {
    summary: "Add a suppression",
    description:
      "The company sends no more email to the address, including emails already scheduled. An address that is already on the list keeps its ID and origin.",
    privilege: "api_controls",
    body: z.object({
      email: Address.describe("One email address. A display name is ignored"),
    }),
    response: SuppressionAdded,
    refusals: ["missing_required_field"],
    async handle({ ctx, body }) {
      const [id] = await addSuppressions(ctx, [body.email]);
      return suppressionAdded(id!);
    },
  }),

  get: defineEndpoint("GET", "/suppressions/{id}", {
    summary: "Retrieve a suppression",
    description: "By its ID or address.",
    privilege: READ_EMAILS,
    params: IdOrAddress,
    response: SuppressionObject,
    handle: async ({ ctx, params }) => suppressionObject(await getSuppression(ctx, params.id)),
  }),

  remove: defineEndpoint("DELETE", "/suppressions/{id}", {
    summary: "Remove a suppression",
    description:
      "By its ID or address. Email can be sent to the address again immediately; the next permanent bounce suppresses it again.",
    privilege: "api_controls",
    params: IdOrAddress,
    response: SuppressionRemoved,
    handle: async ({ ctx, params }) => suppressionRemoved(await removeSuppression(ctx, params.id)),
  }),

  addBatch: defineEndpoint("POST", "/suppressions/batch/add", {
    summary: "Add a batch of suppressions",
    description:
      "Adds up to 100 addresses. If one is invalid, none are added. Addresses already on the list keep their ID and origin; duplicates count once.",
    privilege: "api_controls",
    body: z.object({ emails: Batch.describe("1 to 100 email addresses") }),
    response: z.object({
      data: z
        .array(SuppressionAdded)
        .describe("The suppressions, in the order of the addresses without duplicates"),
    }),
    refusals: ["missing_required_field"],
    async handle({ ctx, body }) {
      const ids = await addSuppressions(ctx, readAddresses(body.emails));
      return { data: ids.map(suppressionAdded) };
    },
  }),

  removeBatch: defineEndpoint("POST", "/suppressions/batch/remove", {
    summary: "Remove a batch of suppressions",
    description:
      "Removes up to 100 suppressions. Provide either `emails` or `ids`. Entries that are not on the list are ignored.",
    privilege: "api_controls",
    body: z
      .object({
        emails: Batch.optional().describe("1 to 100 email addresses"),
        ids: Batch.optional().describe("1 to 100 suppression IDs"),
      })
      .refine(({ emails, ids }) => (emails === undefined) !== (ids === undefined), {
        error: "Provide either emails or ids",
      }),
    response: z.object({
      data: z.array(SuppressionRemoved).describe("The removed suppressions, in request order"),
    }),
    async handle({ ctx, body: { emails, ids } }) {
      const named = emails ? { emails: readAddresses(emails) } : { ids: readIds(ids ?? []) };
      return { data: (await removeSuppressions(ctx, named)).map(suppressionRemoved) };
    },
  }),
};

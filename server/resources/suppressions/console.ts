import { z } from "zod";

import type { Suppression } from "#drizzle/schema/index.ts";
import { csvDownload, exportPages } from "#server/http/downloads.ts";
import { PageQuery, searchedList, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  addSuppressionsInBulk,
  checkList,
  importList,
  removeWithUndo,
  restoreSuppressions,
  type RowResult,
} from "#server/core/sending/suppressions/suppressions.ts";
import { SUPPRESSION_ORIGINS } from "#server/core/sending/suppressions/suppressed.ts";
import {
  searchSuppressions,
  subjectsOfSources,
} from "#server/core/sending/suppressions/search-suppressions.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { boundedList } from "#server/http/text-fields.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

/** With up to 320 characters each, this many fit into a request body. */
const ADDRESSES_MAX = 2_000;

/** Addresses as entered. They are validated one by one, so that an invalid one doesn't reject the others. */
const AddressList = z.object({
  addresses: boundedList(z.string().max(1_000), ADDRESSES_MAX),
});

/** Normalizes each address; null for an invalid one. */
const parseAddresses = (texts: string[]): (string | null)[] =>
  texts.map((text) => parseRecipient(text)?.address ?? null);

const isAddress = (address: string | null) => address !== null;

const ROWS_MAX = 2_000;

/** Clients cut longer cells: they aren't addresses, reasons or dates. */
const CELL_MAX = 400;

const CELLS_MAX = 50;

const Row = z.array(z.string().max(CELL_MAX)).max(CELLS_MAX);

/** Part of a file, as rows of cells. */
const UploadedRows = z.object({
  fileName: z.string().max(255),
  first: Row,
  rows: boundedList(Row, ROWS_MAX),
});

const SuppressionOrigin = z.enum(SUPPRESSION_ORIGINS);

const suppressionRow = (row: Suppression, subjects: Map<string, string>) => ({
  id: row.id,
  email: row.email,
  origin: row.origin,
  source:
    row.sourceId === null
      ? null
      : { id: row.sourceId, subject: subjects.get(row.sourceId) ?? null },
  createdAt: consoleTimestamp(row.createdAt),
});

const SuppressionFilters = z.object({
  origin: SuppressionOrigin.optional(),
  search: z.string().min(1).max(320).optional(),
});

function toResult(row: RowResult) {
  const { outcome } = row;
  if (outcome === "header") return { outcome, address: "", origin: null, problem: null };
  if (outcome === "invalid")
    return { outcome, address: row.written, origin: null, problem: row.problem };
  const { email, origin } = row.entry;
  return { outcome, address: email, origin, problem: null };
}

/** The limit of a bulk action. */
const IDS_MAX = 1_000;

export const suppressionsConsole = pageEndpoints("console", "suppressions", {
  list: read({
    privilege: READ_EMAILS,
    query: PageQuery.and(SuppressionFilters.extend({ sort: sortQuery(["created"], "-created") })),
    async handle({ ctx, query: { origin = null, search = null, sort, ...request } }) {
      const { direction } = sort;
      const filters = { origin, search };
      const page = await searchSuppressions(ctx, { ...request, direction }, filters);
      const subjects = await subjectsOfSources(ctx, page.rows);
      return searchedList(page, (row) => suppressionRow(row, subjects));
    },
  }),

  addAddresses: change({
    privilege: "api_controls",
    body: AddressList,
    async handle({ ctx, body }) {
      const addresses = parseAddresses(body.addresses);
      const entries = addresses
        .filter(isAddress)
        .map((email) => ({ email, origin: "manual" as const, createdAt: null }));
      const added = await addSuppressionsInBulk(ctx, entries);
      return {
        results: addresses.map((address) => {
          if (address === null) return { address, outcome: "invalid" as const };
          // Report the second occurrence of an address as already suppressed.
          const isNew = added.delete(address);
          return { address, outcome: isNew ? ("added" as const) : ("already" as const) };
        }),
      };
    },
  }),

  checkList: change({
    privilege: "api_controls",
    bodyLimit: "sending",
    body: UploadedRows,
    async handle({ ctx, body }) {
      const { format, results } = await checkList(ctx, body);
      return { format: format.name, results: results.map(toResult) };
    },
  }),

  importList: change({
    privilege: "api_controls",
    bodyLimit: "sending",
    body: UploadedRows,
    handle: async ({ ctx, body }) => ({ added: await importList(ctx, body) }),
  }),

  export: read({
    privilege: READ_EMAILS,
    query: SuppressionFilters.extend({ sort: sortQuery(["created"], "-created") }),
    handle({ ctx, query: { origin = null, search = null, sort } }) {
      const pages = exportPages(
        (page) => searchSuppressions(ctx, page, { origin, search }),
        sort.direction,
      );
      return csvDownload("suppressions.csv", pages, {
        email: ({ email }) => email,
        origin: ({ origin }) => origin,
        source_email_id: ({ sourceId }) => sourceId,
        created_at: ({ createdAt }) => consoleTimestamp(createdAt),
      });
    },
  }),

  remove: change({
    privilege: "api_controls",
    body: z.object({ ids: boundedList(z.uuid(), IDS_MAX) }),
    handle: ({ ctx, body }) => removeWithUndo(ctx, body.ids),
  }),

  restore: change({
    privilege: "api_controls",
    body: z.object({ undo: z.string() }),
    handle: async ({ ctx, body }) => ({ restored: await restoreSuppressions(ctx, body.undo) }),
  }),
});

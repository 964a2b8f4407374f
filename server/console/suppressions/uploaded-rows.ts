import { z } from "zod";

import { boundedList } from "#server/http/bounded.ts";

const ROWS_MAX = 2_000;
/** Clients cut longer cells: they aren't addresses, reasons or dates. */
const CELL_MAX = 400;
const CELLS_MAX = 50;

const Row = z.array(z.string().max(CELL_MAX)).max(CELLS_MAX);

/** Part of a file, as rows of cells. */
export const UploadedRows = z.object({
  file_name: z.string().max(255).describe("Some providers write the reason into it"),
  first: Row.describe("The first row, which identifies the columns"),
  rows: boundedList(Row, ROWS_MAX),
});

export const toUploadedRows = ({
  file_name: fileName,
  ...list
}: z.output<typeof UploadedRows>) => ({
  ...list,
  fileName,
});

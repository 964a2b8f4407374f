import { z } from "zod";

/** Postgres has no year 0. */
const hasYear = (text: string) => !text.startsWith("0000");

/** Schema of an RFC 3339 timestamp in a query string. */
export const momentQuery = (error: string, { offset = true }: { offset?: boolean } = {}) =>
  z.iso.datetime({ offset, error }).refine(hasYear, { error });

import { z } from "zod";

/** Postgres knows no year 0. */
const hasYear = (text: string) => !text.startsWith("0000");

/**
 * A moment in a query, in RFC 3339.
 *
 * @param error what a text is told that is none
 */
export const momentQuery = (error: string, { offset = true }: { offset?: boolean } = {}) =>
  z.iso.datetime({ offset, error }).refine(hasYear, { error });

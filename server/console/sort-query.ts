import { z } from "zod";

import type { Sort } from "#server/core/shared/paging/sorted.ts";

/**
 * The query parameter for a list's order: a key, or the key with a minus for descending.
 *
 * @param standard the order without the parameter
 */
export const sortQuery = <const Key extends string>(
  keys: readonly Key[],
  standard: NoInfer<Key | `-${Key}`>,
) =>
  z
    .enum(keys.flatMap((key) => [key, `-${key}`] as const))
    .optional()
    .describe(`Descending with a minus; \`${standard}\` by default`)
    .transform((asked): Sort<Key> => {
      const order: string = asked ?? standard;
      return {
        by: order.replace(/^-/, "") as Key,
        direction: order.startsWith("-") ? "descending" : "ascending",
      };
    });

import { readOneLine } from "#server/core/shared/one-line.ts";

const NAME_MAX = 50;

/**
 * Trims and validates a key's name.
 *
 * @throws Refusal `invalid`
 */
export const readKeyName = (text: string): string =>
  readOneLine(text, "name", {
    max: NAME_MAX,
    message: `name must be 1 to ${NAME_MAX} characters, without control characters`,
  });

import { readOneLine } from "#server/core/shared/one-line.ts";

const NAME_MAX = 200;

/**
 * Trims and validates an admin's name, which may be empty.
 *
 * @throws Refusal `invalid`
 */
export const readAdminName = (text: string): string =>
  readOneLine(text, "name", { min: 0, max: NAME_MAX });

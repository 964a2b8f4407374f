import { Refusal } from "#server/core/shared/refusals.ts";

const NAME_MAX = 200;

/**
 * Trims and validates an admin's name, which may be empty.
 *
 * @throws Refusal `invalid`
 */
export function readAdminName(text: string): string {
  const name = text.trim();
  if (name.length > NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name))
    throw new Refusal("invalid", `name: must have at most ${NAME_MAX} characters, on one line`);
  return name;
}

import { Refusal } from "#server/core/shared/refusals.ts";

const NAME_MAX = 50;

/**
 * Trims and validates a key's name.
 *
 * @throws Refusal `invalid`
 */
export function readKeyName(text: string): string {
  const name = text.trim();
  if (name === "" || Array.from(name).length > NAME_MAX || /[\p{Cc}\p{Cs}]/u.test(name))
    throw new Refusal(
      "invalid",
      `name must be 1 to ${NAME_MAX} characters, without control characters`,
    );
  return name;
}

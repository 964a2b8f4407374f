import { characterCount, isOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

/** Characters. */
export const NAME_MAX = 120;
export const NAME_PART_MAX = 60;

/** The name of a mailbox's user, whole or in parts. */
export type GivenName = {
  name?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
};

/**
 * The display name of a new mailbox: the whole name, else first and last name.
 *
 * @throws Refusal `missing_required_field` if there is neither a name nor a first name, `invalid`
 */
export function readNewName({ name, firstName, lastName }: GivenName): string {
  const whole = readText(name ?? "", "name", NAME_MAX);
  const first = readText(firstName ?? "", "first_name", NAME_PART_MAX);
  const last = readText(lastName ?? "", "last_name", NAME_PART_MAX);
  if (whole !== "") return whole;
  if (first === "")
    throw new Refusal("missing_required_field", "Missing required field: name or first_name", {
      fields: [{ path: "name", code: "required", message: "is required" }],
    });
  return [first, last].filter(Boolean).join(" ");
}

/**
 * Trims and validates a display name.
 *
 * @throws Refusal `invalid`
 */
export function readName(text: string): string {
  const name = readText(text, "name", NAME_MAX);
  if (name === "") throw new Refusal("invalid", "name: must not be empty");
  return name;
}

/**
 * Trims and validates a text of at most `max` characters.
 *
 * @throws Refusal `invalid`
 */
export function readText(text: string, field: string, max: number): string {
  const trimmed = text.trim();
  if (characterCount(trimmed) > max)
    throw new Refusal("invalid", `${field}: must have at most ${max} characters`);
  if (!isOneLine(trimmed))
    throw new Refusal("invalid", `${field}: must be on one line, without control characters`);
  return trimmed;
}

/** @throws Refusal `invalid` unless it is a whole number within the limits */
export function readQuotaMb(quotaMb: number): number {
  if (Number.isInteger(quotaMb) && quotaMb >= QUOTA_MB_MIN && quotaMb <= QUOTA_MB_MAX)
    return quotaMb;
  throw new Refusal(
    "invalid",
    `quota_mb: must be a whole number from ${QUOTA_MB_MIN} to ${QUOTA_MB_MAX}`,
  );
}

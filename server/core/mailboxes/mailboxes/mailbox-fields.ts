import { Refusal } from "#server/core/shared/refusals.ts";

/** Sizes of a mailbox that may be asked for, in MB. */
export const QUOTA_MB_MIN = 256;
export const QUOTA_MB_MAX = 51_200;

/** Characters. */
export const NAME_MAX = 120;
export const NAME_PART_MAX = 60;

/** What would break the header field or the page that shows a name. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Who it is that gets a mailbox: a whole name, or its parts. */
export type GivenName = {
  name?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
};

/**
 * The display name of a new mailbox: the whole one, else first and last name joined by a space.
 *
 * @throws Refusal `missing_required_field` when there is neither a name nor a first name, `invalid`
 */
export function readNewName({ name, firstName, lastName }: GivenName): string {
  const whole = readText(name ?? "", "name", NAME_MAX);
  const first = readText(firstName ?? "", "first_name", NAME_PART_MAX);
  const last = readText(lastName ?? "", "last_name", NAME_PART_MAX);
  if (whole !== "") return whole;
  if (first === "")
    throw new Refusal("missing_required_field", "Missing required field: name or first_name");
  return [first, last].filter(Boolean).join(" ");
}

/**
 * A display name as it is kept: trimmed.
 *
 * @throws Refusal `invalid`
 */
export function readName(text: string): string {
  const name = readText(text, "name", NAME_MAX);
  if (name === "") throw new Refusal("invalid", "name: must not be empty");
  return name;
}

function readText(text: string, field: string, max: number): string {
  const trimmed = text.trim();
  if (Array.from(trimmed).length > max)
    throw new Refusal("invalid", `${field}: must have at most ${max} characters`);
  if (UNPRINTABLE.test(trimmed))
    throw new Refusal("invalid", `${field}: must be on one line, without control characters`);
  return trimmed;
}

/**
 * @returns the size as it was asked for
 * @throws Refusal `invalid`
 */
export function readQuotaMb(quotaMb: number): number {
  if (Number.isInteger(quotaMb) && quotaMb >= QUOTA_MB_MIN && quotaMb <= QUOTA_MB_MAX)
    return quotaMb;
  throw new Refusal(
    "invalid",
    `quota_mb: must be a whole number from ${QUOTA_MB_MIN} to ${QUOTA_MB_MAX}`,
  );
}

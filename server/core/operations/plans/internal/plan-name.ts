import { Refusal } from "#server/core/shared/refusals.ts";

const NAME_MAX = 80;

/** @throws Refusal `invalid` */
export function readPlanName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= NAME_MAX && !/[\p{Cc}\p{Cs}]/u.test(name)) return name;
  throw new Refusal("invalid", `name: must have 1 to ${NAME_MAX} characters, on one line`);
}

export const nameTakenError = () =>
  new Refusal("already_exists", "name: is already used by another plan");

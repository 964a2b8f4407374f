import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const NAME_MAX = 80;

/** @throws Refusal `invalid` */
export const readPlanName = (text: string): string => readOneLine(text, "name", { max: NAME_MAX });

export const nameTakenError = () =>
  new Refusal("already_exists", "name: is already used by another plan");

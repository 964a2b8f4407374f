import type { FocusEvent } from "react";

import type { Check } from "./checks.ts";
import { isSame, isSecret } from "./drafts.ts";
import { describeProblem, type FieldErrors, type FieldLabels } from "./field-errors.ts";

export type InputProps<Value> = {
  value: Value;
  defaultValue?: undefined;
  onChange: (change: unknown) => void;
  onFocus: (event: unknown) => void;
  onBlur: (event: unknown) => void;
  error?: string;
};

/** An error that appears during a click would move the clicked button or link away. */
export const movesToControl = ({ relatedTarget }: FocusEvent): boolean =>
  relatedTarget instanceof Element && relatedTarget.closest("button, a") !== null;

/** Text as it is sent: without spaces around it, except passwords. */
export function trimmed<Values extends Record<string, unknown>>(values: Values): Values {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "string" && !isSecret(name) ? value.trim() : value,
  ]);
  return Object.fromEntries(entries) as Values;
}

export function checkedErrors<Values extends Record<string, unknown>>(
  values: Values,
  checks: { [Name in keyof Values]?: Check<Values[Name], Values> },
  labels: FieldLabels,
): FieldErrors {
  const errors: FieldErrors = {};
  for (const name of Object.keys(checks)) {
    const problem = checks[name]?.(values[name] as Values[string], values) ?? null;
    if (problem !== null) errors[name] = describeProblem(labels[name] ?? "", problem);
  }
  return errors;
}

/** The values that differ from those the form started from. */
export function changedValues<Values extends Record<string, unknown>>(
  values: Values,
  initial: Values,
): Partial<Values> {
  const entries = Object.entries(values).filter(([name, value]) => !isSame(value, initial[name]));
  return Object.fromEntries(entries) as Partial<Values>;
}

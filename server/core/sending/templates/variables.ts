import type { TemplateVariable } from "#drizzle/schema/index.ts";

/** `{{{NAME}}}`, optionally with spaces inside the braces. */
const PLACEHOLDER = /\{\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}\}/g;

/** What a variable may be called. */
export const VARIABLE_KEY = /^[A-Za-z0-9_]{1,50}$/;

/** Names that Resend reserves for contacts. */
const RESERVED = new Set([
  ...["FIRST_NAME", "LAST_NAME", "EMAIL", "UNSUBSCRIBE_URL", "RESEND_UNSUBSCRIBE_URL"],
  ...["contact", "this"],
]);

export const isReserved = (key: string) => RESERVED.has(key);

/** Values by variable name. */
export type VariableValues = Record<string, string | number>;

/** A text split at its placeholders: text and variable names in turn, beginning and ending with text. */
export type ParsedText = readonly string[];

export const parseText = (text: string): ParsedText => text.split(PLACEHOLDER);

/** The names of the variables in a text, in order and with repetitions. */
export const usedVariables = (parsed: ParsedText): string[] =>
  parsed.filter((_, at) => at % 2 === 1);

/**
 * Replaces the placeholders of a text. Values aren't searched for placeholders. Values are inserted as they are, also
 * into HTML, as Resend does.
 *
 * @param values of all variables in the text
 */
export const fillVariables = (parsed: ParsedText, values: ReadonlyMap<string, string>): string =>
  parsed.map((part, at) => (at % 2 === 1 ? values.get(part)! : part)).join("");

/** The length of what `fillVariables` returns, without building it. */
export const filledLength = (parsed: ParsedText, values: ReadonlyMap<string, string>): number =>
  parsed.reduce((sum, part, at) => sum + (at % 2 === 1 ? values.get(part)! : part).length, 0);

/**
 * The values of the variables that are used.
 *
 * @returns what is wrong with the values, if anything
 */
export function resolveValues(
  used: ReadonlySet<string>,
  variables: readonly TemplateVariable[],
  given: VariableValues,
): { values: Map<string, string> } | { problem: string } {
  const values = new Map<string, string>();
  for (const { key, type, fallbackValue } of variables) {
    const value = Object.hasOwn(given, key) ? given[key]! : fallbackValue;
    if (type === "number" && typeof value === "string")
      return { problem: `variable '${key}' must be a number` };
    if (value !== null) values.set(key, String(value));
    else if (used.has(key))
      return { problem: `variable '${key}' has no fallback value, so the email must provide one` };
  }
  return { values };
}

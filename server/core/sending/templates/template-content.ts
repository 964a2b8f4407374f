import type { TemplateVariable, TemplateVersion } from "#drizzle/schema/index.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { readOneLine } from "#server/core/shared/text.ts";

export type TemplateContent = Pick<
  TemplateVersion,
  "subject" | "from" | "replyTo" | "html" | "text"
>;

/** A variable as it is declared. */
export type DeclaredVariable = Pick<TemplateVariable, "key" | "type" | "fallbackValue">;

const NAME_MAX = 100;
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** @throws Refusal `invalid` */
export const readTemplateName = (name: string) => readOneLine(name, "name", { max: NAME_MAX });

/** @throws Refusal `invalid` */
export function readAlias(alias: string | null): string | null {
  if (alias === null || (ALIAS.test(alias) && !isUuid(alias))) return alias;
  throw new Refusal(
    "invalid",
    isUuid(alias)
      ? "alias: must not look like an ID"
      : "alias: must be 1 to 100 letters, digits, dots, dashes or underscores, starting with a letter or digit",
  );
}

/**
 * Checks a template's variables, and that all variables of its content are declared.
 *
 * @param before the variables so far: unchanged ones keep their times
 * @throws Refusal `invalid`
 */
export function readVariables(
  declared: readonly DeclaredVariable[],
  content: TemplateContent,
  before: readonly TemplateVariable[] = [],
): TemplateVariable[] {
  const { variables } = readFields({ variables: () => checkDeclared(declared) });
  const keys = new Set(variables.map(({ key }) => key));
  let uses = 0;
  for (const field of ["subject", "html", "text"] as const)
    for (const key of usedVariables(parseText(content[field] ?? ""))) {
      if (!keys.has(key))
        throw new Refusal(
          "invalid",
          isReserved(key)
            ? `Variable '${key}' is reserved and can't be used in a template`
            : `Variable '${key}' is used in the template but not defined in the variables list`,
          { field },
        );
      if (++uses > VARIABLE_USES_MAX)
        throw new Refusal(
          "invalid",
          `A template can use variables at most ${VARIABLE_USES_MAX} times`,
          { field },
        );
    }
  // As Postgres prints times.
  const now = new Date().toISOString().replace("T", " ").replace("Z", "+00");
  return variables.map(({ key, type, fallbackValue }) => {
    const old = before.find((each) => each.key === key);
    const isSame = old?.type === type && old.fallbackValue === fallbackValue;
    return {
      key,
      type,
      fallbackValue,
      createdAt: old?.createdAt ?? now,
      updatedAt: isSame ? old.updatedAt : now,
    };
  });
}

function checkDeclared(declared: readonly DeclaredVariable[]): readonly DeclaredVariable[] {
  if (declared.length > VARIABLES_MAX)
    throw new Refusal("invalid", `variables: must have at most ${VARIABLES_MAX} entries`);
  const seen = new Set<string>();
  for (const [at, { key, type, fallbackValue }] of declared.entries()) {
    const invalid = (problem: string) => new Refusal("invalid", `variables[${at}].${problem}`);
    if (!VARIABLE_KEY.test(key))
      throw invalid("key: must be 1 to 50 letters, digits or underscores");
    if (isReserved(key)) throw invalid(`key: '${key}' is reserved`);
    if (seen.has(key)) throw invalid(`key: '${key}' is defined twice`);
    if (fallbackValue !== null && typeof fallbackValue !== type)
      throw invalid(`fallback_value: must be a ${type}`);
    seen.add(key);
  }
  return declared;
}

/** `{{{NAME}}}`, optionally with spaces inside the braces. */
const PLACEHOLDER = /\{\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}\}/g;

/** What a variable may be called. */
export const VARIABLE_KEY = /^[A-Za-z0-9_]{1,50}$/;

/** Names that Resend reserves for contacts. */
const RESERVED = new Set([
  "FIRST_NAME",
  "LAST_NAME",
  "EMAIL",
  "UNSUBSCRIBE_URL",
  "RESEND_UNSUBSCRIBE_URL",
  "contact",
  "this",
]);

const isReserved = (key: string) => RESERVED.has(key);

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

/** Templates per company. */
export const TEMPLATES_MAX = 300;

/** Versions kept of a template: older ones are deleted when a new one is published. */
export const VERSIONS_KEPT = 20;

/** Bytes of html and text of all versions of a company's templates. */
export const STORED_MAX = 100_000_000;

/** Characters of a template's html and text. */
export const CONTENT_MAX = 500_000;

export const VARIABLES_MAX = 50;

/** How often a template's subject, html and text may use variables, in total. */
const VARIABLE_USES_MAX = 5_000;

/** Characters of a string value. */
export const VALUE_MAX = 2_000;

/** Characters of html and text that the templates of one request may produce, like the size of a request body. */
export const RENDERED_MAX = 30 * 1024 * 1024;

/** Characters of html and text of all templates that one request may use: they are in memory at the same time. */
export const LOADED_MAX = 10_000_000;

/** Counts what a version's HTML and text take. */
export const contentBytes = ({ html, text }: Pick<TemplateContent, "html" | "text">): number =>
  Buffer.byteLength(html) + Buffer.byteLength(text ?? "");

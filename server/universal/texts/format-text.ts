import type * as en from "./en.ts";
import type { ui } from "./en-ui.ts";

/** A text, or its plural forms, of which `count` selects one. */
export type Text = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

/** Texts in another language, with the keys of the English ones. */
export type Translated<Texts> = Record<keyof Texts, Text>;

/** The texts of a language: a file like `de.ts`, which the type checker compares with the English one. */
export type Catalog = {
  [Section in "account" | "mail" | "sheet"]: Translated<(typeof en)[Section]>;
} & {
  ui: Translated<typeof ui>;
  /** The server's messages to mailbox users, by the English text. */
  errors: Record<(typeof en.errors)[number], string>;
};

/** The names in `{name}` and `<name>…</name>`. */
export type NamesIn<T> = T extends { other: infer Other }
  ? Placeholders<Other>
  : Placeholders<T> | Tags<T>;

type Placeholders<T> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Tags<T> = T extends `${string}</${infer Name}>${infer Rest}` ? Name | Tags<Rest> : never;

/** The arguments after a text's key: the values of its names, if it has any. */
export type ValuesOf<T, Value> = [NamesIn<T>] extends [never]
  ? []
  : [values: Record<NamesIn<T>, Value>];

const PLACE = /\{(\w+)\}|<(\w+)>(.*?)<\/\2>/g;

/**
 * Splits a text at its placeholders and tags, and inserts their values.
 *
 * @param locale its plural rules apply
 * @param wrap combines the value of a tag with the parts inside the tag
 */
export function splitText<Value>(
  text: Text,
  locale: string,
  values: Record<string, Value>,
  wrap: (value: Value, inside: (Value | string)[]) => Value,
): (Value | string)[] {
  const form = typeof text === "string" ? text : formOf(text, locale, Number(values.count));
  const parts: (Value | string)[] = [];
  let end = 0;
  for (const { index, 0: place, 1: name, 2: tag = "", 3: inside = "" } of form.matchAll(PLACE)) {
    const value = values[name ?? tag]!;
    parts.push(form.slice(end, index));
    parts.push(name ? value : wrap(value, splitText(inside, locale, values, wrap)));
    end = index + place.length;
  }
  return [...parts, form.slice(end)];
}

const formOf = (forms: Exclude<Text, string>, locale: string, count: number): string =>
  forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;

/** Fills in the placeholders of a text. Numbers are formatted for `locale`. */
export function fillText(
  text: Text,
  locale: string,
  values: Record<string, string | number> = {},
): string {
  const parts = splitText<string | number>(text, locale, values, (_, inside) => inside.join(""));
  return parts
    .map((part) => (typeof part === "number" ? part.toLocaleString(locale) : part))
    .join("");
}

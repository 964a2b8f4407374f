/** Matches the same placeholders as server/core/sending/templates/template-content.ts. */
const PLACEHOLDER = /\{\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}\}/g;

/** A variable as it is edited: the fallback value is text until it is sent. */
export type EditedVariable = { type: "string" | "number"; fallback: string };

/** Values by variable name. */
export type SampleValues = Record<string, string>;

/** The names of the variables in the texts, in order, each once. */
export const variableNames = (...texts: string[]): string[] => [
  ...new Set(texts.flatMap((text) => Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!))),
];

/** Fills in the values, as emails do. Placeholders without a value stay. */
export const fillIn = (text: string, values: SampleValues): string =>
  text.replaceAll(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : placeholder,
  );

/** A fallback value as the server expects it. Text that isn't a number stays text, which the server rejects. */
export function fallbackValue({ type, fallback }: EditedVariable): string | number | null {
  if (fallback === "") return null;
  return type === "number" ? toNumber(fallback) : fallback;
}

/** A typed value; text that isn't a number stays text, which the server rejects. */
export function toNumber(text: string): string | number {
  const value = Number(text);
  return text.trim() === "" || Number.isNaN(value) ? text : value;
}

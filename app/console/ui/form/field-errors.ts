import { ConsoleError } from "#app/console/console-client.ts";

/** Form errors by path (`members.0`), as `@mantine/form` has them. */
export type FieldErrors = Record<string, string>;

/** Names of a form's fields in sentences, by path: "Storage limit" in "Storage limit must be a whole number". */
export type FieldLabels = Record<string, string>;

/** The entries of lists that are typed into one field, which errors quote: "“ben” must be a valid email address". */
export type FieldEntries = Record<string, readonly string[]>;

/**
 * The server's field errors at the form's fields. Errors about an entry of a list (`members[3]`) go to the entry's own
 * field if the form has one, otherwise to the list's.
 *
 * @param within path of the object in the body that has the form's fields
 * @returns no errors if the form lacks the fields; then the whole error concerns the form
 */
export function fieldErrors(
  error: Error | null,
  labels: FieldLabels,
  { entries, within }: { entries?: FieldEntries | undefined; within?: string } = {},
): FieldErrors {
  if (!(error instanceof ConsoleError)) return {};
  const errors: FieldErrors = {};
  for (const { path, message } of error.fields) {
    const exact = formPath(path, within);
    const field = closestField(exact, labels);
    if (field === null) continue;
    const entry = entries?.[field]?.[Number(exact.slice(field.length + 1) || NaN)];
    const label = entry === undefined ? labels[field]! : `“${entry}”`;
    errors[field] ??= describeProblem(label, message);
  }
  return errors;
}

/** "must be short" → "Name must be short". Sentences, which end with a period, stand alone; a single one is shown without it. */
export function describeProblem(label: string, message: string): string {
  if (/^[a-z]/.test(message) && !message.endsWith(".")) return `${label} ${message}`;
  return /[.?!] /.test(message) ? message : message.replace(/\.$/, "");
}

/** `to[1].name` → `to.1.name` */
function formPath(path: string, within = ""): string {
  const dotted = path.replace(/\[(\d+)\]/g, ".$1");
  const isInside = within !== "" && dotted.startsWith(`${within}.`);
  return isInside ? dotted.slice(within.length + 1) : dotted;
}

function closestField(path: string, labels: FieldLabels): string | null {
  if (Object.hasOwn(labels, path)) return path;
  const parent = path.slice(0, Math.max(0, path.lastIndexOf(".")));
  return parent === "" ? null : closestField(parent, labels);
}

/** Whether fields of the form show all that is wrong. */
export function isShownAtFields(
  error: Error | null,
  labels: FieldLabels,
  within?: string,
): boolean {
  if (!(error instanceof ConsoleError) || error.fields.length === 0) return false;
  return error.fields.every(({ path }) => closestField(formPath(path, within), labels) !== null);
}

/** A text field's value. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  if (typeof value !== "string") throw new Error(`The form has no text field "${name}"`);
  return value;
}

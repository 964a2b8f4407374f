import { pageText } from "#app/console/ui/texts.tsx";

/** Checks a field before the form is sent. Returns what is wrong, to continue the field's label, or null. */
export type Check<Value = never, Values = never> = (value: Value, values: Values) => string | null;

export const required: Check<string | null, unknown> = (value) =>
  value === null || value.trim() === "" ? pageText("check.required") : null;

/** Only typing errors; the server decides. */
export const looksLikeAddress: Check<string, unknown> = (value) =>
  /^\S+@\S+\.\S+$/.test(value.trim()) ? null : pageText("check.address");

/** The password typed a second time. */
export const repeats =
  <Name extends string>(name: Name): Check<string, Record<Name, string>> =>
  (value, values) =>
    value === values[name] ? null : pageText("check.repeat");

/** Several checks in order. */
export const firstProblem =
  <Value, Values>(...checks: Check<Value, Values>[]): Check<Value, Values> =>
  (value, values) => {
    for (const check of checks) {
      const problem = check(value, values);
      if (problem !== null) return problem;
    }
    return null;
  };

import { Refusal } from "./refusals.ts";

/**
 * Calls every reader and returns their results. If readers fail, the first error is thrown with the invalid
 * fields of all, so that a form can mark them at once.
 *
 * @param readers by field; each throws a Refusal for invalid input
 * @throws Refusal
 */
export function readFields<Readers extends Record<string, () => unknown>>(
  readers: Readers,
): { [Name in keyof Readers]: ReturnType<Readers[Name]> } {
  const names: (keyof Readers)[] = Object.keys(readers);
  const values = readEach(names, (name) => readers[name]!());
  return Object.fromEntries(names.map((name, at) => [name, values[at]])) as {
    [Name in keyof Readers]: ReturnType<Readers[Name]>;
  };
}

/**
 * Reads every item of a list, with errors as `readFields` throws them.
 *
 * @throws Refusal
 */
export function readEach<Item, Value>(
  items: readonly Item[],
  read: (item: Item, at: number) => Value,
): Value[] {
  const errors: Refusal[] = [];
  const values = items.flatMap((item, at) => {
    try {
      return [read(item, at)];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      errors.push(error);
      return [];
    }
  });
  const [first] = errors;
  if (!first) return values;
  throw new Refusal(first.reason, first.message, {
    retryAfterSeconds: first.retryAfterSeconds,
    fields: errors.flatMap(({ fields }) => fields),
  });
}

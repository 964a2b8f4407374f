const PREFIX = "draft:";
const OWNER = "draft-owner";

/** By its name, whether a field holds a password or the like: never stored, and sent as typed. */
export const isSecret = (name: string): boolean => /password|secret|token|code|again/i.test(name);

/** What was typed into a form, and the values it started from. */
type Draft<Values> = { initial: Values; values: Values };

/**
 * The draft of a form in this tab; null if there is none, or if it was started from other values, because someone has
 * changed the object since.
 */
export function readDraft<Values extends object>(name: string, initial: Values): Values | null {
  try {
    const draft = JSON.parse(
      sessionStorage.getItem(PREFIX + name) ?? "null",
    ) as Draft<Values> | null;
    if (draft === null || !isSame(draft.initial, withoutSecrets(initial))) return null;
    return { ...initial, ...draft.values };
  } catch {
    return null;
  }
}

/** Stores a draft, without secrets, or deletes it if nothing differs from `initial`. */
export function writeDraft<Values extends object>(
  name: string,
  { initial, values }: Draft<Values>,
): void {
  const draft = { initial: withoutSecrets(initial), values: withoutSecrets(values) };
  if (isSame(draft.initial, draft.values)) return deleteDraft(name);
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // Storage is full or turned off: the form works without drafts.
  }
}

export function deleteDraft(name: string): void {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Storage is turned off.
  }
}

/** Deletes all drafts, for example when someone signs out. */
export function clearDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Storage is turned off.
  }
}

/** Deletes the drafts of the person who was signed in before, unless the address is the same. */
export function claimDrafts(address: string): void {
  try {
    if (sessionStorage.getItem(OWNER) !== address) clearDrafts();
    sessionStorage.setItem(OWNER, address);
  } catch {
    // Storage is turned off.
  }
}

const withoutSecrets = <Values extends object>(values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !isSecret(name))) as Values;

/** Compares values as JSON. */
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

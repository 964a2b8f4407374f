const KEPT_MS = 5 * 60_000;

let typed = "";
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps the password of a sign-in in memory for some minutes, so that a temporary one isn't asked for twice. */
export function keepTypedPassword(password: string): void {
  clearTimeout(timer);
  typed = password;
  timer = setTimeout(forgetTypedPassword, KEPT_MS);
}

/** "" if it isn't known, for example after a reload. */
export const typedPassword = (): string => typed;

export function forgetTypedPassword(): void {
  clearTimeout(timer);
  typed = "";
}

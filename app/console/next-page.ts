export const HOME = "/console/overview";
/** What is a person's own: profile, password, second factors, sessions. */
export const YOU = "/console/you";
export const SIGN_IN = "/console/sign-in";

/** The sign-in page that leads back to where one is. */
export function signInUrl({ pathname, search }: { pathname: string; search: string }): string {
  if (pathname === SIGN_IN) return `${SIGN_IN}${search}`;
  const next = `${pathname}${search}`;
  return next === HOME ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
}

/**
 * Where to go after signing in: the page that `next` names if it is one of the console, else the first.
 * Anything that could lead to another host, or back to the door, does not count.
 */
export function nextPage(next: string | null): string {
  const origin = "http://console.invalid";
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return HOME;
  const { origin: found, pathname, search } = new URL(next, origin);
  const isPage =
    found === origin &&
    pathname.startsWith("/console/") &&
    !/^\/console\/(api|sign-in|set-up|reset-password)(\/|$)/.test(pathname);
  return isPage ? `${pathname}${search}` : HOME;
}

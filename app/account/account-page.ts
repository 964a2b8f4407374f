import type { SignInArea } from "#app/console/single-sign-on/queries.ts";

export const ACCOUNT_HOME = "/account/overview";
export const NEW_PASSWORD = "/account/new-password";
const SIGN_IN = "/account/sign-in";

/** The sign-in page, returning to the current page afterwards. */
export function accountSignInUrl({ pathname, search }: { pathname: string; search: string }) {
  if (pathname === SIGN_IN) return `${SIGN_IN}${search}`;
  const next = `${pathname}${search}`;
  return next === ACCOUNT_HOME || pathname === NEW_PASSWORD
    ? SIGN_IN
    : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
}

export const WEBMAIL = "/webmail/";

/** The page to open after signing in: `next` if it is an account page or webmail, otherwise the overview. */
export function nextAccountPage(next: string | null): string {
  const origin = "http://account.invalid";
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return ACCOUNT_HOME;
  const { origin: found, pathname, search } = new URL(next, origin);
  const isPage =
    found === origin &&
    /^\/(webmail$|webmail\/|account\/)/.test(pathname) &&
    !/^\/account\/(api|sign-in|new-password|apple\.mobileconfig)(\/|$)/.test(pathname);
  return isPage ? `${pathname}${search}` : ACCOUNT_HOME;
}

export const ACCOUNT: SignInArea = {
  area: "account",
  signInPage: SIGN_IN,
  nextPage: ({ search }) => nextAccountPage(new URLSearchParams(search).get("next")),
  home: ACCOUNT_HOME,
};

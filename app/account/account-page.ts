export const HOME = "/account/overview";
export const NEW_PASSWORD = "/account/new-password";
const SIGN_IN = "/account/sign-in";

/** The sign-in page that leads back to where one is. */
export function accountSignInUrl({ pathname, search }: { pathname: string; search: string }) {
  if (pathname === SIGN_IN) return `${SIGN_IN}${search}`;
  const next = `${pathname}${search}`;
  return next === HOME || pathname === NEW_PASSWORD
    ? SIGN_IN
    : `${SIGN_IN}?next=${encodeURIComponent(next)}`;
}

/** Where to go after signing in: the page of the account that `next` names, else the first. */
export function nextAccountPage(next: string | null): string {
  const origin = "http://account.invalid";
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return HOME;
  const { origin: found, pathname, search } = new URL(next, origin);
  const isPage =
    found === origin &&
    pathname.startsWith("/account/") &&
    !/^\/account\/(api|sign-in|new-password|apple\.mobileconfig)(\/|$)/.test(pathname);
  return isPage ? `${pathname}${search}` : HOME;
}

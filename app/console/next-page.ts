export const HOME = "/console/overview";

export const PROFILE = "/console/profile";
export const SIGN_IN = "/console/sign-in";

type Place = {
  pathname: string;
  search: string;
  /** Includes the `#`. It may contain a link's token, which must stay in the fragment so that it isn't logged. */
  hash?: string;
};

/** The sign-in page that returns to the given page. */
export function signInUrl({ pathname, search, hash = "" }: Place): string {
  if (pathname === SIGN_IN) return `${SIGN_IN}${search}${hash}`;
  const next = `${pathname}${search}`;
  return next === HOME ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(next)}${hash}`;
}

/**
 * The page to open after signing in: `next` if it is a page of the console, otherwise the first page.
 * URLs of other hosts and of the sign-in pages are ignored.
 *
 * @param hash of the sign-in page, kept
 */
export function nextPage(next: string | null, hash = ""): string {
  const origin = "http://console.invalid";
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return HOME;
  const { origin: found, pathname, search } = new URL(next, origin);
  const isPage =
    found === origin &&
    pathname.startsWith("/console/") &&
    !/^\/console\/(api|sign-in|set-up|reset-password)(\/|$)/.test(pathname);
  return isPage ? `${pathname}${search}${hash}` : HOME;
}

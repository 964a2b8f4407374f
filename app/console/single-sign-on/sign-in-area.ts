import type { Area } from "#app/console/console-client.ts";
import { HOME, nextPage, SIGN_IN } from "#app/console/next-page.ts";

/** What a sign-in at the identity provider opens: the console, or `/account`. */
export type SignInArea = {
  area: Area;
  signInPage: string;
  /** The page to open after signing in: the one that the sign-in page names, or else the first page. */
  nextPage(location: Pick<Location, "search" | "hash">): string;
  home: string;
};

export const CONSOLE: SignInArea = {
  area: "console",
  signInPage: SIGN_IN,
  nextPage: ({ search, hash }) => nextPage(new URLSearchParams(search).get("next"), hash),
  home: HOME,
};

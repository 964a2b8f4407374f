import { HOME, nextPage, SIGN_IN } from "#app/console/next-page.ts";
import type { StepPath } from "#app/console/session-queries.ts";

/** What a sign-in at the identity provider opens: the console, or `/account`. */
export type SignInArea = {
  /** Path of the endpoints. Those of `/account` have the same input and response. */
  path: "/console/api/sign-in/provider";
  factorPath: StepPath;
  signInPage: string;
  /** The page to open after signing in: the one that the sign-in page names, or else the first page. */
  nextPage(location: Pick<Location, "search" | "hash">): string;
  home: string;
};

export const CONSOLE: SignInArea = {
  path: "/console/api/sign-in/provider",
  factorPath: "/console/api/sign-in/second-factor",
  signInPage: SIGN_IN,
  nextPage: ({ search, hash }) => nextPage(new URLSearchParams(search).get("next"), hash),
  home: HOME,
};

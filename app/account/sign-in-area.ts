import type { SignInArea } from "#app/console/single-sign-on/sign-in-area.ts";

import { HOME, nextAccountPage, SIGN_IN } from "./account-page.ts";

export const ACCOUNT: SignInArea = {
  area: "account",
  signInPage: SIGN_IN,
  nextPage: ({ search }) => nextAccountPage(new URLSearchParams(search).get("next")),
  home: HOME,
};

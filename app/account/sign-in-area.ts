import type { SignInArea } from "#app/console/single-sign-on/sign-in-area.ts";

import { HOME, nextAccountPage, SIGN_IN } from "./account-page.ts";
import { SECOND_FACTOR_PATH } from "./factor-queries.ts";

export const ACCOUNT: SignInArea = {
  path: "/account/api/sign-in/provider" as string as SignInArea["path"],
  factorPath: SECOND_FACTOR_PATH,
  signInPage: SIGN_IN,
  nextPage: ({ search }) => nextAccountPage(new URLSearchParams(search).get("next")),
  home: HOME,
};

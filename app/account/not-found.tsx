import { PageNotFound } from "#app/console/page-not-found.tsx";

import { ACCOUNT_HOME } from "./account-page.ts";
import { accountText } from "./account-texts.ts";

export default async function AccountPageNotFound() {
  return <PageNotFound home={ACCOUNT_HOME} label={await accountText("home")} />;
}

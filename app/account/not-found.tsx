import { PageNotFound } from "#app/console/page-not-found.tsx";

import { ACCOUNT_HOME } from "./account-page.ts";

export default function AccountPageNotFound() {
  return <PageNotFound home={ACCOUNT_HOME} label="Go to your mailbox" />;
}

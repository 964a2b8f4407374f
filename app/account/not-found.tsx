import { PageNotFound } from "#app/console/page-error.tsx";

import { ACCOUNT_HOME } from "./account-page.ts";

export default function AccountPageNotFound() {
  return <PageNotFound home={ACCOUNT_HOME} label="Go to your mailbox" />;
}

import { PageNotFound } from "#app/console/page-error.tsx";

import { HOME } from "./account-page.ts";

export default function AccountPageNotFound() {
  return <PageNotFound home={HOME} label="Go to your mailbox" />;
}

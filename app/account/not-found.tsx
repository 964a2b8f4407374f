import { NoSuchPage } from "#app/console/no-such-page.tsx";

import { HOME } from "./account-page.ts";

export default function NotFound() {
  return <NoSuchPage home={HOME} to="Go to your mailbox" />;
}

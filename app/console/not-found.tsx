import { HOME } from "./next-page.ts";
import { PageNotFound } from "./page-not-found.tsx";

export default function ConsolePageNotFound() {
  return <PageNotFound home={HOME} label="Go to overview" />;
}

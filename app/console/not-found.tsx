import { HOME } from "./next-page.ts";
import { PageNotFound } from "./page-not-found.tsx";

export default function NotFound() {
  return <PageNotFound home={HOME} label="Go to overview" />;
}

import { HOME } from "./next-page.ts";
import { NoSuchPage } from "./no-such-page.tsx";

export default function NotFound() {
  return <NoSuchPage home={HOME} to="Go to the overview" />;
}

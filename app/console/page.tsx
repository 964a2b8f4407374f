import { redirect } from "next/navigation";

import { HOME } from "./next-page.ts";

export default function ConsolePage() {
  redirect(HOME);
}

import type { Metadata } from "next";

import { SetUpMailApps } from "./set-up-mail-apps.tsx";

export const metadata: Metadata = { title: "Set up mail apps" };

export default function SetUpMailAppsPage() {
  return <SetUpMailApps />;
}

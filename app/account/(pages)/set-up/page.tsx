import type { Metadata } from "next";

import { SetUpMailApps } from "#app/account/set-up-guide.tsx";

export const metadata: Metadata = { title: "Set up mail apps" };

export default function SetUpMailAppsPage() {
  return <SetUpMailApps />;
}

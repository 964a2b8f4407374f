import type { Metadata } from "next";

import { AccountOverview } from "./overview.tsx";

export const metadata: Metadata = { title: "Overview" };

export default function AccountOverviewPage() {
  return <AccountOverview />;
}

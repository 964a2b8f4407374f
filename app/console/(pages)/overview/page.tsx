import type { Metadata } from "next";

import { ConsoleOverview } from "./overview.tsx";

export const metadata: Metadata = { title: "Overview" };

export default function OverviewPage() {
  return <ConsoleOverview />;
}

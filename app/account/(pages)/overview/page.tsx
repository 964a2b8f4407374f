import type { Metadata } from "next";

import { Overview } from "./overview.tsx";

export const metadata: Metadata = { title: "Overview" };

export default function AccountOverviewPage() {
  return <Overview />;
}

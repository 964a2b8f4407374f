import type { Metadata } from "next";

import { ServerHealth } from "./health.tsx";

export const metadata: Metadata = { title: "Health" };

export default function HealthPage() {
  return <ServerHealth />;
}

import type { Metadata } from "next";

import { ServerLimits } from "./limits.tsx";

export const metadata: Metadata = { title: "Limits" };

export default function LimitsPage() {
  return <ServerLimits />;
}

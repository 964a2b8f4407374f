import type { Metadata } from "next";

import { Health } from "./health.tsx";

export const metadata: Metadata = { title: "Health" };

export default function HealthPage() {
  return <Health />;
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { Metrics, MetricsPageSkeleton } from "./metrics.tsx";

export const metadata: Metadata = { title: "Metrics" };

export default function MetricsPage() {
  return (
    <Suspense fallback={<MetricsPageSkeleton />}>
      <Metrics />
    </Suspense>
  );
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { Plans, PlansSkeleton } from "./plans.tsx";

export const metadata: Metadata = { title: "Plans" };

export default function PlansPage() {
  return (
    <Suspense fallback={<PlansSkeleton />}>
      <Plans />
    </Suspense>
  );
}

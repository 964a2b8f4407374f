import type { Metadata } from "next";
import { Suspense } from "react";

import { Suppressions, SuppressionsSkeleton } from "./suppressions.tsx";

export const metadata: Metadata = { title: "Suppressions" };

export default function SuppressionsPage() {
  return (
    <Suspense fallback={<SuppressionsSkeleton />}>
      <Suppressions />
    </Suspense>
  );
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { Quarantine, QuarantineSkeleton } from "./quarantine.tsx";

export const metadata: Metadata = { title: "Quarantine" };

export default function QuarantinePage() {
  return (
    <Suspense fallback={<QuarantineSkeleton />}>
      <Quarantine />
    </Suspense>
  );
}

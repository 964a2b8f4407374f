import type { Metadata } from "next";
import { Suspense } from "react";

import { Units, UnitsSkeleton } from "./units.tsx";

export const metadata: Metadata = { title: "Units" };

export default function UnitsPage() {
  return (
    <Suspense fallback={<UnitsSkeleton />}>
      <Units />
    </Suspense>
  );
}

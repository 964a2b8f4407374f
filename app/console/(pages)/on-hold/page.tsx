import type { Metadata } from "next";
import { Suspense } from "react";

import { OnHold, OnHoldPageSkeleton } from "./on-hold.tsx";

export const metadata: Metadata = { title: "On hold" };

export default function OnHoldPage() {
  return (
    <Suspense fallback={<OnHoldPageSkeleton />}>
      <OnHold />
    </Suspense>
  );
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { Receiving, ReceivingSkeleton } from "./receiving.tsx";

export const metadata: Metadata = { title: "Receiving" };

export default function ReceivingPage() {
  return (
    <Suspense fallback={<ReceivingSkeleton />}>
      <Receiving />
    </Suspense>
  );
}

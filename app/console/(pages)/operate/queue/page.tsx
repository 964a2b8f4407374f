import type { Metadata } from "next";
import { Suspense } from "react";

import { Queue, QueueSkeleton } from "./queue.tsx";

export const metadata: Metadata = { title: "Queue" };

export default function QueuePage() {
  return (
    <Suspense fallback={<QueueSkeleton />}>
      <Queue />
    </Suspense>
  );
}

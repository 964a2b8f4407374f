import type { Metadata } from "next";
import { Suspense } from "react";

import { Logs, LogsSkeleton } from "./logs.tsx";

export const metadata: Metadata = { title: "Logs" };

export default function LogsPage() {
  return (
    <Suspense fallback={<LogsSkeleton />}>
      <Logs />
    </Suspense>
  );
}

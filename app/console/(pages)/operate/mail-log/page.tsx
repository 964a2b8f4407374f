import type { Metadata } from "next";
import { Suspense } from "react";

import { MailLog, MailLogSkeleton } from "./mail-log.tsx";

export const metadata: Metadata = { title: "Mail log" };

export default function MailLogPage() {
  return (
    <Suspense fallback={<MailLogSkeleton />}>
      <MailLog />
    </Suspense>
  );
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { Emails, EmailsSkeleton } from "./emails.tsx";

export const metadata: Metadata = { title: "Emails" };

export default function EmailsPage() {
  return (
    <Suspense fallback={<EmailsSkeleton />}>
      <Emails />
    </Suspense>
  );
}

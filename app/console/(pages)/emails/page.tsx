import type { Metadata } from "next";
import { Suspense } from "react";

import { EmailListSkeleton } from "./email-list.tsx";
import { Emails } from "./emails.tsx";

export const metadata: Metadata = { title: "Emails" };

export default function EmailsPage() {
  return (
    <Suspense fallback={<EmailListSkeleton />}>
      <Emails />
    </Suspense>
  );
}

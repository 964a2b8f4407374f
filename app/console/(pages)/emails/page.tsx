import type { Metadata } from "next";
import { Suspense } from "react";

import { PageHeader } from "#app/console/ui/page-header.tsx";

import { EmailListSkeleton } from "./email-list.tsx";
import { Emails } from "./emails.tsx";

export const metadata: Metadata = { title: "Emails" };

export default function EmailsPage() {
  return (
    <>
      <PageHeader title="Emails" sentence="What your applications sent through the API." />
      <Suspense fallback={<EmailListSkeleton />}>
        <Emails />
      </Suspense>
    </>
  );
}

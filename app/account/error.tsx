"use client";

import { type PageErrorProps, PageError } from "#app/console/page-error.tsx";
import { AuthLayout } from "#app/console/ui/wordmark.tsx";

export default function AccountError(failure: PageErrorProps) {
  return (
    <AuthLayout>
      <PageError {...failure} />
    </AuthLayout>
  );
}

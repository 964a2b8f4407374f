"use client";

import { type PageErrorProps, PageError } from "./page-error.tsx";
import { AuthLayout } from "./ui/wordmark.tsx";

export default function ConsoleError(failure: PageErrorProps) {
  return (
    <AuthLayout>
      <PageError {...failure} />
    </AuthLayout>
  );
}

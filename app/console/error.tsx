"use client";

import { type PageErrorProps, PageError } from "./page-error.tsx";
import { AuthLayout } from "./ui/auth-layout.tsx";

export default function ConsoleError(failure: PageErrorProps) {
  return (
    <AuthLayout>
      <PageError {...failure} />
    </AuthLayout>
  );
}

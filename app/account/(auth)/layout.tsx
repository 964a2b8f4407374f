import type { ReactNode } from "react";

import { AuthLayout } from "#app/console/ui/wordmark.tsx";

export default function AccountAuthLayout({ children }: { children: ReactNode }) {
  return <AuthLayout>{children}</AuthLayout>;
}

import type { ReactNode } from "react";

import { AuthLayout } from "#app/console/ui/wordmark.tsx";

export default function ConsoleAuthLayout({ children }: { children: ReactNode }) {
  return <AuthLayout>{children}</AuthLayout>;
}

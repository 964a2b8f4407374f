import { type ReactNode, Suspense } from "react";

import { Shell } from "#app/console/shell/shell.tsx";

export default function ConsolePagesLayout({ children }: { children: ReactNode }) {
  return (
    <Shell>
      {/* The shell hydrates without waiting for the page's scripts. */}
      <Suspense>{children}</Suspense>
    </Shell>
  );
}

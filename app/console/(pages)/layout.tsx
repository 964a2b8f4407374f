import type { ReactNode } from "react";

import { Shell } from "#app/console/shell/shell.tsx";

export default function ConsolePagesLayout({ children }: { children: ReactNode }) {
  return <Shell>{children}</Shell>;
}

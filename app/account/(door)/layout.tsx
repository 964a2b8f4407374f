import type { ReactNode } from "react";

import { DoorLayout } from "#app/console/ui/door-layout.tsx";

export default function Layout({ children }: { children: ReactNode }) {
  return <DoorLayout>{children}</DoorLayout>;
}

import type { ReactNode } from "react";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

/** What concerns all companies is for who runs the instance. */
export default function OperateLayout({ children }: { children: ReactNode }) {
  return (
    <OnlyWith privilege="operator" to="see what operators see">
      {children}
    </OnlyWith>
  );
}

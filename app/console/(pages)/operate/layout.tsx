import type { ReactNode } from "react";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

export default function OperateLayout({ children }: { children: ReactNode }) {
  return (
    <OnlyWith privilege="operator" to="view the operator pages">
      {children}
    </OnlyWith>
  );
}

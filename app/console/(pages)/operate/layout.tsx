import type { ReactNode } from "react";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

export default function OperateLayout({ children }: { children: ReactNode }) {
  return (
    <RequirePrivilege privilege="operator" action="view the operator pages">
      {children}
    </RequirePrivilege>
  );
}

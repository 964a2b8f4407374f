import type { ReactNode } from "react";

import { AccountShell } from "#app/account/account-shell.tsx";

export default function AccountPagesLayout({ children }: { children: ReactNode }) {
  return <AccountShell>{children}</AccountShell>;
}

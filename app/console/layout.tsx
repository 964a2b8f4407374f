import type { ReactNode } from "react";

import { Providers } from "./providers.tsx";
import "./styles.ts";

export default function ConsoleLayout({ children }: { children: ReactNode }) {
  return <Providers>{children}</Providers>;
}

import type { ReactNode } from "react";

import { ConsoleProviders } from "./console-providers.tsx";
import "./styles.ts";

export default function ConsoleLayout({ children }: { children: ReactNode }) {
  return <ConsoleProviders>{children}</ConsoleProviders>;
}

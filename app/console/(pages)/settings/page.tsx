import type { Metadata } from "next";
import { Suspense } from "react";

import { ConsoleSettings } from "./settings.tsx";

export const metadata: Metadata = { title: "Settings" };

export default function SettingsPage() {
  return (
    <Suspense>
      <ConsoleSettings />
    </Suspense>
  );
}

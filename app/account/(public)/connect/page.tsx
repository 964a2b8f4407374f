import type { Metadata } from "next";
import { Suspense } from "react";

import { Connect } from "./connect.tsx";

export const metadata: Metadata = { title: "Connect a mail app" };

export default function ConnectPage() {
  return (
    <Suspense>
      <Connect />
    </Suspense>
  );
}

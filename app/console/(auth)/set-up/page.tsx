import type { Metadata } from "next";
import { Suspense } from "react";

import { SetUpServer } from "./set-up.tsx";

export const metadata: Metadata = { title: "Set up" };

export default function SetUpPage() {
  return (
    <Suspense>
      <SetUpServer />
    </Suspense>
  );
}

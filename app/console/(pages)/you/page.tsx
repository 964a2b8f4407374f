import type { Metadata } from "next";
import { Suspense } from "react";

import { You } from "./you.tsx";

export const metadata: Metadata = { title: "You" };

export default function YouPage() {
  return (
    <Suspense>
      <You />
    </Suspense>
  );
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { NewRole } from "./new-role.tsx";

export const metadata: Metadata = { title: "Create role" };

export default function NewRolePage() {
  return (
    <Suspense>
      <NewRole />
    </Suspense>
  );
}

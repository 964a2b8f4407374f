import type { Metadata } from "next";
import { Suspense } from "react";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { NewRole } from "./new-role.tsx";

export const metadata: Metadata = { title: "Create role" };

export default function NewRolePage() {
  return (
    <OnlyWith privilege="manage_admins" to="create roles">
      <Suspense>
        <NewRole />
      </Suspense>
    </OnlyWith>
  );
}

import type { Metadata } from "next";
import { Suspense } from "react";

import { Invitation } from "./invitation.tsx";

export const metadata: Metadata = { title: "Invitation" };

export default function InvitationPage() {
  return (
    <Suspense>
      <Invitation />
    </Suspense>
  );
}

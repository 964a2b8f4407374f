import type { Metadata } from "next";

import { Invitation } from "./invitation.tsx";

export const metadata: Metadata = { title: "Invitation" };

export default function InvitationPage() {
  return <Invitation />;
}

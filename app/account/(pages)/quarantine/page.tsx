import type { Metadata } from "next";

import { AccountQuarantine } from "./quarantine.tsx";

export const metadata: Metadata = { title: "Quarantine" };

export default function OwnQuarantinePage() {
  return <AccountQuarantine />;
}

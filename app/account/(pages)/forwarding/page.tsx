import type { Metadata } from "next";

import { Forwarding } from "./forwarding.tsx";

export const metadata: Metadata = { title: "Forwarding" };

export default function ForwardingPage() {
  return <Forwarding />;
}

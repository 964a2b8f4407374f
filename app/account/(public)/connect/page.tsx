import type { Metadata } from "next";

import { Connect } from "./connect.tsx";

export const metadata: Metadata = { title: "Connect a mail app" };

export default function ConnectPage() {
  return <Connect />;
}

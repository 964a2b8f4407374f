import type { Metadata } from "next";

import { SetUpPage } from "./set-up.tsx";

export const metadata: Metadata = { title: "Set up mail apps" };

export default function Page() {
  return <SetUpPage />;
}

import type { Metadata } from "next";

import { NewEmail } from "./new-email.tsx";

export const metadata: Metadata = { title: "Write email" };

export default function NewEmailPage() {
  return <NewEmail />;
}

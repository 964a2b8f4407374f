import type { Metadata } from "next";
import { Suspense } from "react";

import { Profile } from "./profile.tsx";

export const metadata: Metadata = { title: "Your profile" };

export default function ProfilePage() {
  return (
    <Suspense>
      <Profile />
    </Suspense>
  );
}

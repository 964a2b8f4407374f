import type { Metadata } from "next";

import { Roles } from "./roles.tsx";

export const metadata: Metadata = { title: "Roles" };

export default function RolesPage() {
  return <Roles />;
}

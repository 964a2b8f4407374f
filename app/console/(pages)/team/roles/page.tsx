import type { Metadata } from "next";

export { Roles as default } from "./list.tsx";

export const metadata: Metadata = { title: "Roles" };

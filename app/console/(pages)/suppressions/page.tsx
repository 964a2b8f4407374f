import type { Metadata } from "next";

export { Suppressions as default } from "./list.tsx";

export const metadata: Metadata = { title: "Suppressions" };

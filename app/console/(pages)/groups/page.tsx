import type { Metadata } from "next";

export { Groups as default } from "./list.tsx";

export const metadata: Metadata = { title: "Groups" };

import type { Metadata } from "next";

export { Templates as default } from "./list.tsx";

export const metadata: Metadata = { title: "Templates" };

import type { Metadata } from "next";

export { Receiving as default } from "./list.tsx";

export const metadata: Metadata = { title: "Receiving" };

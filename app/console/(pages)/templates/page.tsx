import type { Metadata } from "next";

export { Templates as default } from "./templates.tsx";

export const metadata: Metadata = { title: "Templates" };

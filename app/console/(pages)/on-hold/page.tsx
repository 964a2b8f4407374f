import type { Metadata } from "next";

export { OnHold as default } from "./on-hold.tsx";

export const metadata: Metadata = { title: "On hold" };

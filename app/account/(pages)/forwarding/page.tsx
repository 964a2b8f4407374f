import type { Metadata } from "next";

export { Forwarding as default } from "./forwarding.tsx";

export const metadata: Metadata = { title: "Forwarding" };

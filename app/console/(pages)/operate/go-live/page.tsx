import type { Metadata } from "next";

export { GoLive as default } from "./go-live.tsx";

export const metadata: Metadata = { title: "Go live" };

import type { Metadata } from "next";

export { SetUpServer as default } from "./set-up.tsx";

export const metadata: Metadata = { title: "Set up" };

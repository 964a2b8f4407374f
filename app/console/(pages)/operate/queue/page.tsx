import type { Metadata } from "next";

export { Queue as default } from "./queue.tsx";

export const metadata: Metadata = { title: "Queue" };

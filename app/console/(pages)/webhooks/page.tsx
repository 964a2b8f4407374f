import type { Metadata } from "next";

export { Webhooks as default } from "./webhooks.tsx";

export const metadata: Metadata = { title: "Webhooks" };

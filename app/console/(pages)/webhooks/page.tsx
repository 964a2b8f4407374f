import type { Metadata } from "next";

export { Webhooks as default } from "./list.tsx";

export const metadata: Metadata = { title: "Webhooks" };

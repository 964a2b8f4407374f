import type { Metadata } from "next";

export { AccountSignIn as default } from "./sign-in.tsx";

export const metadata: Metadata = { title: "Sign in" };

import type { Metadata } from "next";

export { SignIn as default } from "./sign-in.tsx";

export const metadata: Metadata = { title: "Sign in" };

import { titled } from "#app/account/account-texts.ts";

export { AccountSignIn as default } from "./sign-in.tsx";

export const generateMetadata = titled("signIn");

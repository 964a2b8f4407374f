import { titled } from "#app/account/account-texts.ts";

export { AccountOverview as default } from "./overview.tsx";

export const generateMetadata = titled("overview");

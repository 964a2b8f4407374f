import { titled } from "#app/account/account-texts.ts";

export { AccountQuarantine as default } from "./quarantine.tsx";

export const generateMetadata = titled("quarantine");

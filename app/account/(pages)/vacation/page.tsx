import { titled } from "#app/account/account-texts.ts";

export { AutomaticReply as default } from "./vacation.tsx";

export const generateMetadata = titled("vacation");

import { titled } from "#app/account/account-texts.ts";

export { AccountSessions as default } from "./sessions.tsx";

export const generateMetadata = titled("sessions");

export * from "./api-keys.ts";
export * from "./companies.ts";
export * from "./domains.ts";
export * from "./emails.ts";
export * from "./instance.ts";
export * from "./mailboxes.ts";
export * from "./sign-in-attempts.ts";
export * from "./suppressions.ts";

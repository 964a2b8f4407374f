import { ConsoleError } from "#app/console/console-client.ts";

/** Whether a refusal is about the name: "name must be 1 to 50 characters". */
export const isOfName = (error: Error | null): boolean =>
  error instanceof ConsoleError && error.message.startsWith("name");

/** Whether it is about the allow-list, whose wrong entry it names. */
export const isOfAllowList = (error: Error | null): boolean =>
  error instanceof ConsoleError && /CIDR range$|^The allow-list/.test(error.message);

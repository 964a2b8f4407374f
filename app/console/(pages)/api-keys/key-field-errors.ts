import { ConsoleError } from "#app/console/console-client.ts";

/** Matches errors about the name, such as "name must be 1 to 50 characters". */
export const isNameError = (error: Error | null): boolean =>
  error instanceof ConsoleError && error.message.startsWith("name");

/** Matches errors about the allow-list, which quote the invalid entry. */
export const isAllowListError = (error: Error | null): boolean =>
  error instanceof ConsoleError && /CIDR range$|^The allow-list/.test(error.message);

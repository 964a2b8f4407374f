import { formatCount } from "#app/console/ui/number-format.ts";

/** `1 message`, `1,200 messages`, `2 mailboxes`. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;

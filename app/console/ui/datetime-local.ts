/** The value of a `datetime-local` input, in the reader's time zone: 2026-03-04T09:30. "" without a time. */

export function toDateTimeLocal(at: string | undefined): string {
  if (at === undefined) return "";
  const moment = new Date(at);
  const pad = (number: number) => String(number).padStart(2, "0");
  const day = [moment.getFullYear(), pad(moment.getMonth() + 1), pad(moment.getDate())].join("-");
  return `${day}T${pad(moment.getHours())}:${pad(moment.getMinutes())}`;
}

/** Turns the input's value into an ISO timestamp, or returns it unchanged if it isn't a valid time. */
export function fromDateTimeLocal(text: string): string {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

/** "Europe/Berlin" */
export const readerTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A moment as a field for date and time has it, in the reader's zone: 2026-03-04T09:30. */
export function toLocalField(moment: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** What such a field says, as a moment; as it stands where it says none. */
export function fromLocalField(text: string): string {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

/** "Europe/Berlin" */
export const readersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

import type { CountedEventType } from "#server/core/sending/events/email-events.ts";
import { type PlacedEmail, placedEmails } from "#server/testing/placed-emails.ts";

const DAY_MS = 86_400_000;

/** Event histories of emails, with the share of each in percent. */
const HISTORIES: [percent: number, types: CountedEventType[]][] = [
  [45, ["sent", "delivered"]],
  [33, ["sent", "delivered", "opened"]],
  [12, ["sent", "delivered", "opened", "clicked"]],
  [4, ["sent", "delivery_delayed"]],
  [2, ["sent", "bounced"]],
  [1, ["sent", "delivered", "complained"]],
  [1, ["failed"]],
  [1, ["suppressed"]],
  [1, ["scheduled", "canceled"]],
];

/** Creates emails for the last days, fewer of them at weekends. */
export async function seedEmailsByDay(
  domain: { companyId: string; id: string; name: string },
  { days, perDay, now = Date.now() }: { days: number; perDay: number; now?: number },
): Promise<void> {
  const rows: PlacedEmail[] = [];
  for (let day = 0; day < days; day++) {
    const noon = now - day * DAY_MS - 3_600_000;
    const isWeekend = [0, 6].includes(new Date(noon).getUTCDay());
    const count = Math.round(perDay * (isWeekend ? 0.3 : 1) * (0.8 + ((day * 7) % 5) / 10));
    for (let i = 0; i < count; i++)
      rows.push({
        sentAt: new Date(noon - i * 1_000).toISOString(),
        types: historyOf(i * 13 + day),
      });
  }
  for (let start = 0; start < rows.length; start += 500)
    await placedEmails(domain, rows.slice(start, start + 500));
}

function historyOf(seed: number): CountedEventType[] {
  let place = (seed * 37) % 100;
  for (const [share, types] of HISTORIES) {
    if (place < share) return types;
    place -= share;
  }
  return HISTORIES[0]![1];
}

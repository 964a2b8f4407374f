const PREFIX = "msg_";
const EVENT_ID = /^msg_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The id of a webhook event as the API, the console and receivers see it: `msg_` and 32 hex digits. */
export const toEventId = (id: string) => PREFIX + id.replaceAll("-", "");

/** The uuid behind a shown id; null when the text is none. */
export function parseEventId(text: string): string | null {
  const groups = EVENT_ID.exec(text)?.slice(1);
  return groups ? groups.join("-") : null;
}

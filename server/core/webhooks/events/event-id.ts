const PREFIX = "msg_";
const EVENT_ID = /^msg_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** The public id of a webhook event: `msg_` and 32 hex digits. */
export const toEventId = (id: string) => PREFIX + id.replaceAll("-", "");

/** Parses a public id to the UUID; null if invalid. */
export function parseEventId(text: string): string | null {
  const groups = EVENT_ID.exec(text)?.slice(1);
  return groups ? groups.join("-") : null;
}

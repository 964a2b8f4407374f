/** The email or domain that an event concerns; `href` is null if it was deleted. */
export type EventSubject = { kind: "Email" | "Domain"; name: string; href: string | null };

type Event = { type: string; isTest: boolean; payload: Record<string, unknown> };
/** The payload fields that identify an email or a domain. */
type Data = { email_id?: string; subject?: string; id?: string; name?: string };

/** Reads the subject from an event's payload. Null for test events, whose subjects don't exist. */
export function eventSubject({ type, isTest, payload }: Event): EventSubject | null {
  if (isTest) return null;
  const { email_id: emailId, subject, id, name } = (payload.data ?? {}) as Data;
  if (emailId)
    return { kind: "Email", name: subject || emailId, href: `/console/emails/${emailId}` };
  if (!id || !name) return null;
  const href = type === "domain.deleted" ? null : `/console/domains/${id}`;
  return { kind: "Domain", name, href };
}

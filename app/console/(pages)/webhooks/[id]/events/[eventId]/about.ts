/** What an event is about, and where that is shown. */
export type About = { kind: "Email" | "Domain"; name: string; href: string | null };

type Event = { type: string; is_test: boolean; payload: Record<string, unknown> };
/** What payloads say of emails and of domains, as far as it is of use here. */
type Data = { email_id?: string; subject?: string; id?: string; name?: string };

/**
 * Reads it from the event's payload. Null for tests, which are about nothing that exists; what is deleted
 * has no page.
 */
export function aboutOf({ type, is_test: isTest, payload }: Event): About | null {
  if (isTest) return null;
  const { email_id: emailId, subject, id, name } = (payload.data ?? {}) as Data;
  if (emailId)
    return { kind: "Email", name: subject || emailId, href: `/console/emails/${emailId}` };
  if (!id || !name) return null;
  const href = type === "domain.deleted" ? null : `/console/domains/${id}`;
  return { kind: "Domain", name, href };
}

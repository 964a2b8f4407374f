import { problemOfField, problemOfReason } from "#app/console/ui/form-problem.tsx";

/** Assigns an API error to the form field it's about. The other fields get null. */
export function fieldErrors(error: Error | null) {
  return {
    from:
      problemOfField(error, "from", "Sender") ??
      problemOfReason(error, "invalid_from_address") ??
      problemOfReason(error, "domain_not_verified"),
    to: problemOfField(error, "to", "To") ?? entryError(error, "to", "address"),
    subject: problemOfField(error, "subject", "Subject"),
    content:
      problemOfField(error, "html", "Content") ??
      problemOfField(error, "text", "Content") ??
      (error?.message.startsWith("Give html or text") ? "Content must not be empty" : null),
    time: problemOfField(error, "scheduled_at", "Send time"),
    tags: problemOfField(error, "tags", "Tags") ?? entryError(error, "tags", "tag"),
  };
}

/** The error for one entry of a list: "to[1]: must be one email address" becomes "Address 2 must be…". */
function entryError(error: Error | null, field: string, word: string): string | null {
  const [, place, part = "", rule] =
    new RegExp(`^${field}\\[(\\d+)\\](?:\\.(\\w+))?: ([^]*)$`).exec(error?.message ?? "") ?? [];
  if (place === undefined || rule === undefined) return null;
  const which = `${word[0]!.toUpperCase()}${word.slice(1)} ${Number(place) + 1}`;
  return part ? `${which}: ${part} ${rule}` : `${which} ${rule}`;
}

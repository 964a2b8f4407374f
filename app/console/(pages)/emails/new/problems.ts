import { problemOfField, problemOfReason } from "#app/console/ui/form-problem.tsx";

/** What is wrong with each field of the form; null where nothing is. */
export function problemsOf(error: Error | null) {
  return {
    from:
      problemOfField(error, "from", "The sender") ??
      problemOfReason(error, "invalid_from_address") ??
      problemOfReason(error, "domain_not_verified"),
    to: problemOfField(error, "to", "To") ?? problemOfEntry(error, "to", "address"),
    subject: problemOfField(error, "subject", "The subject"),
    content:
      problemOfField(error, "html", "The content") ??
      problemOfField(error, "text", "The content") ??
      (error?.message.startsWith("Give html or text")
        ? "Write something: an email needs a body"
        : null),
    time: problemOfField(error, "scheduled_at", "The time"),
    tags: problemOfField(error, "tags", "Tags") ?? problemOfEntry(error, "tags", "tag"),
  };
}

/** Of one entry of a list, which refusals name by its place: "to[1]: must be one email address". */
function problemOfEntry(error: Error | null, field: string, word: string): string | null {
  const [, place, part = "", rule] =
    new RegExp(`^${field}\\[(\\d+)\\](?:\\.(\\w+))?: ([^]*)$`).exec(error?.message ?? "") ?? [];
  if (place === undefined || rule === undefined) return null;
  const which = `${word[0]!.toUpperCase()}${word.slice(1)} ${Number(place) + 1}`;
  return part ? `${which}: its ${part} ${rule}` : `${which} ${rule}`;
}

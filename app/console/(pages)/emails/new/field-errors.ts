import { fieldError, errorForReason } from "#app/console/ui/form-error.tsx";

/** Assigns an API error to the form field it's about. The other fields get null. */
export function fieldErrors(error: Error | null) {
  return {
    from:
      fieldError(error, "from", "Sender") ??
      errorForReason(error, "invalid_from_address") ??
      errorForReason(error, "domain_not_verified"),
    to: fieldError(error, "to", "To") ?? entryError(error, "to", "address"),
    subject: fieldError(error, "subject", "Subject"),
    content:
      fieldError(error, "html", "Content") ??
      fieldError(error, "text", "Content") ??
      (error?.message.startsWith("Provide html or text") ? "Content must not be empty" : null),
    time: fieldError(error, "scheduled_at", "Send time"),
    tags: fieldError(error, "tags", "Tags") ?? entryError(error, "tags", "tag"),
  };
}

/** The error for one entry of a list: "to[1]: must be a valid email address" becomes "Address 2 must be…". */
function entryError(error: Error | null, field: string, label: string): string | null {
  const [, place, part = "", rule] =
    new RegExp(`^${field}\\[(\\d+)\\](?:\\.(\\w+))?: ([^]*)$`).exec(error?.message ?? "") ?? [];
  if (place === undefined || rule === undefined) return null;
  const which = `${label[0]!.toUpperCase()}${label.slice(1)} ${Number(place) + 1}`;
  return part ? `${which}: ${part} ${rule}` : `${which} ${rule}`;
}

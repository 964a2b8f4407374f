import { fromDateTimeLocal } from "#app/console/(pages)/emails/datetime-local.ts";
import { formText } from "#app/console/ui/form-text.ts";

import type { ComposedEmail } from "./use-send-email.ts";

/** Turns the form into a `POST /emails` body. */
export function readComposeForm(
  form: FormData,
  kind: "html" | "text",
  content: string,
): ComposedEmail {
  const name = formText(form, "name").trim();
  const address = `${formText(form, "local").trim()}@${formText(form, "domain")}`;
  const time = formText(form, "time");
  const tags = readTags(formText(form, "tags"));
  return {
    from: name ? `${quoted(name)} <${address}>` : address,
    to: readAddresses(formText(form, "to")),
    subject: formText(form, "subject"),
    ...(kind === "html" ? { html: content } : { text: content }),
    ...(time && { scheduled_at: fromDateTimeLocal(time) }),
    ...(tags.length > 0 && { tags }),
  };
}

/** Splits at commas, semicolons and line breaks, except inside a quoted display name. */
export function readAddresses(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,;\n"])+/g) ?? [])
    .map((address) => address.trim())
    .filter(Boolean);
}

/** Parses `name=value` pairs, separated by commas or whitespace. */
export function readTags(text: string): { name: string; value: string }[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return { name, value: value.join("=") };
    });
}

/** A display name as a quoted-string (RFC 5322, section 3.2.4). */
const quoted = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

import { fromLocalField } from "#app/console/(pages)/emails/local-moment.ts";
import { textOf } from "#app/console/ui/text-of.ts";

import type { Written } from "./use-compose.ts";

/** What the form says, as the API takes it. */
export function readWritten(form: FormData, kind: "html" | "text", content: string): Written {
  const name = textOf(form, "name").trim();
  const address = `${textOf(form, "local").trim()}@${textOf(form, "domain")}`;
  const time = textOf(form, "time");
  const tags = readTags(textOf(form, "tags"));
  return {
    from: name ? `${quoted(name)} <${address}>` : address,
    to: readAddresses(textOf(form, "to")),
    subject: textOf(form, "subject"),
    ...(kind === "html" ? { html: content } : { text: content }),
    ...(time && { scheduled_at: fromLocalField(time) }),
    ...(tags.length > 0 && { tags }),
  };
}

/** Addresses with commas, semicolons or line ends between them; not within the quotes of a name. */
export function readAddresses(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,;\n"])+/g) ?? [])
    .map((address) => address.trim())
    .filter(Boolean);
}

/** `name=value`, with commas or spaces between them. */
export function readTags(text: string): { name: string; value: string }[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((tag) => {
      const [name = "", ...value] = tag.split("=");
      return { name, value: value.join("=") };
    });
}

/** A display name in quotes, so that no sign in it counts (RFC 5322, 3.2.4). */
const quoted = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

import { pluralize } from "#server/core/shared/text.ts";

/** Fields whose text is shown. The text of all others is masked, so that a new field can't reveal a secret. */
const SHOWN = new Set(
  (
    "active address advance alias bcc cc click_tracking contentId contentType content_id content_type domain_id " +
    "email emails endpoint events filename first_name force_password_change from id ids keep_app_passwords " +
    "last_name members name open_tracking org_unit_id permission quota_mb replyTo reply_to scheduledAt " +
    "scheduled_at status subject to topic_id tracking_subdomain type value"
  ).split(" "),
);

/** Fields in which everything is masked, whatever the names inside. */
const HIDDEN = new Set(["headers", "variables"]);

const TEXT_MAX = 300;
const NAME_MAX = 60;
const ITEMS_MAX = 20;
const DEPTH_MAX = 8;
/** Bounds the time that masking takes. */
const VALUES_MAX = 400;

const STORED_MAX = 8_000;

type Place = { isShown: boolean; isHidden: boolean; depth: number; left: { values: number } };

/**
 * Masks the secrets and the content in a request's JSON body, and keeps names, structure, lengths, and the fields
 * that an admin needs to see what was wrong. Long lists and texts are shortened.
 */
export function maskJson(value: unknown): unknown {
  return masked(value, {
    isShown: false,
    isHidden: false,
    depth: 0,
    left: { values: VALUES_MAX },
  });
}

function masked(value: unknown, place: Place): unknown {
  if (--place.left.values < 0) return "[more]";
  if (typeof value === "string") return maskedText(value, place.isShown);
  if (typeof value === "number") return place.isShown ? value : "[number]";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return `[${pluralize(value.length, "byte")}]`;
  if (place.depth === DEPTH_MAX) return "[more]";
  return Array.isArray(value) ? maskedList(value, place) : maskedObject(value, place);
}

function maskedText(text: string, isShown: boolean): string {
  if (!isShown) return `[${pluralize(text.length, "character")}]`;
  if (text.length <= TEXT_MAX) return text;
  // Copied, because a slice keeps the whole text in memory until the log is written.
  const start = Buffer.from(text.slice(0, TEXT_MAX)).toString();
  return `${start}… [${pluralize(text.length, "character")}]`;
}

function maskedList(list: unknown[], place: Place): unknown[] {
  // An attachment as a list of bytes.
  if (!place.isShown && typeof list[0] === "number")
    return [`[${pluralize(list.length, "number")}]`];
  const inside = { ...place, depth: place.depth + 1 };
  const more = list.length - ITEMS_MAX;
  return [
    ...list.slice(0, ITEMS_MAX).map((item) => masked(item, inside)),
    ...(more > 0 ? [`[${more.toLocaleString("en")} more]`] : []),
  ];
}

function maskedObject(object: object, { isHidden, depth, left }: Place): object {
  const fields: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (left.values <= 0) break;
    const isIn = isHidden || HIDDEN.has(name);
    const place = { isShown: !isIn && SHOWN.has(name), isHidden: isIn, depth: depth + 1, left };
    fields.push([name.slice(0, NAME_MAX), masked(value, place)]);
  }
  return Object.fromEntries(fields);
}

const UNPARSED_MAX = 2_000;

/** Masks letters and digits of a body that isn't JSON: what remains shows where its syntax is wrong. */
export const maskText = (body: Buffer): string =>
  body
    .subarray(0, UNPARSED_MAX)
    .toString()
    .replaceAll(/[\p{L}\p{N}]/gu, "x") + (body.length > UNPARSED_MAX ? "…" : "");

/** Formats a masked body for storing. */
export function formatMasked(body: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  return text.length > STORED_MAX ? `${text.slice(0, STORED_MAX)}…` : text;
}

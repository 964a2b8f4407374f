import { LRUCache } from "lru-cache";

/** Stored characters of a response. */
const SHOWN_MAX = 500;

/** Parts of a URL with at least this length may be secrets; shorter ones are words. */
const PART_MIN = 6;

const MARK = "***";
const ENDPOINTS_MAX = 1_000;

/**
 * Returns the first 500 characters of a response, without secrets from the endpoint's URL, which error pages
 * and echo services repeat. Removes its path, its query, and each path segment, query pair and value of six
 * characters or more: raw, percent-encoded, JSON- or HTML-escaped, in any case.
 *
 * @param isCut the body was truncated, so it may end with the start of a secret, which is removed too
 */
export function redactResponse(
  body: Buffer,
  { endpoint, isCut }: { endpoint: string; isCut: boolean },
): string {
  const text = toSafeText(body);
  const { list, pattern } = secretsOf(endpoint);
  if (list.length === 0) return truncate(text);
  const whole = isCut ? stripPartialSecret(text.replace(/\ufffd+$/, ""), list) : text;
  return truncate(whole.replace(pattern, MARK));
}

type Secrets = { list: string[]; pattern: RegExp };

/** Secrets of the endpoints that responded most recently. */
const known = new LRUCache<string, Secrets>({ max: ENDPOINTS_MAX });

function secretsOf(endpoint: string): Secrets {
  let secrets = known.get(endpoint);
  if (!secrets) {
    const list = listSecrets(new URL(endpoint));
    secrets = {
      list,
      pattern: new RegExp(list.map((secret) => RegExp.escape(secret)).join("|"), "gi"),
    };
    known.set(endpoint, secrets);
  }
  return secrets;
}

/** Decodes UTF-8 and replaces control characters; Postgres rejects NUL. */
const toSafeText = (body: Buffer): string =>
  body.toString("utf8").replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "\ufffd");

/** Longest first, so that a part doesn't break up a longer secret. */
function listSecrets({ pathname, search }: URL): string[] {
  const query = search.slice(1);
  const pairs = query.split("&");
  const values = pairs.map((pair) => pair.slice(pair.indexOf("=") + 1));
  const parts = [...pathname.split("/"), ...pairs, ...values];
  const wholes = [pathname + search, pathname, search].filter((whole) => whole.length > 1);
  const secrets = [
    ...wholes.flatMap(forms),
    ...[query, ...parts].flatMap(forms).filter((part) => part.length >= PART_MIN),
  ];
  return [...new Set(secrets)].sort((a, b) => b.length - a.length);
}

/** The ways in which a part may be written. */
function forms(part: string): string[] {
  const plain = decoded(part);
  const spaced = decoded(part.replaceAll("+", " "));
  const written = [part, plain, spaced, encodeURI(plain), encodeURIComponent(plain)];
  return written.flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
    form.replace(/[^\x00-\x7f]/g, unicodeEscape),
    form.replaceAll("/", "\\/"),
    form.replaceAll("&", "&amp;"),
  ]);
}

const unicodeEscape = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Removes the start of a secret from the end of the text. */
function stripPartialSecret(text: string, secrets: string[]): string {
  const lower = text.toLowerCase();
  const begun = secrets.map((secret) => {
    const start = secret.toLowerCase();
    let length = Math.min(start.length - 1, lower.length);
    while (length > 0 && !lower.endsWith(start.slice(0, length))) length--;
    return length;
  });
  return text.slice(0, text.length - Math.max(...begun));
}

/** To 500 characters, without splitting a surrogate pair. */
const truncate = (text: string) =>
  text
    .slice(0, SHOWN_MAX)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();

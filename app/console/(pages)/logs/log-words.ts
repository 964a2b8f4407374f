import type { Meaning } from "#app/console/ui/status.tsx";

const WORDS: Record<number, string> = {
  200: "OK",
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Wrong method",
  408: "Timed out",
  409: "Conflict",
  413: "Too large",
  422: "Invalid",
  429: "Too many",
  500: "Server error",
  502: "Mail server",
};

/** An HTTP status in a word, and whether the caller got what it wanted. */
export const statusInWords = (status: number): { word: string; meaning: Meaning } => ({
  word: `${status} ${WORDS[status] ?? ""}`.trim(),
  meaning: status < 400 ? "done" : "failed",
});

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const PAGES: [path: RegExp, what: string, page: string][] = [
  [new RegExp(`^/emails/(${UUID})(?:/|$)`, "i"), "email", "emails"],
  [new RegExp(`^/domains/(${UUID})(?:/|$)`, "i"), "domain", "domains"],
  [new RegExp(`^/webhooks/(${UUID})(?:/|$)`, "i"), "webhook", "webhooks"],
  [new RegExp(`^/api-keys/(${UUID})(?:/|$)`, "i"), "API key", "api-keys"],
  [/^\/mailboxes\/([^/]+@[^/]+)(?:\/|$)/, "mailbox", "mailboxes"],
  [/^\/groups\/([^/]+@[^/]+)(?:\/|$)/, "group", "groups"],
];

/** The page of what a path of the API names; null where it names nothing that has one. */
export function pageOfPath(path: string): { what: string; href: string } | null {
  for (const [pattern, what, page] of PAGES) {
    const name = pattern.exec(path.replaceAll("%40", "@"))?.[1];
    if (name !== undefined) return { what, href: `/console/${page}/${name}` };
  }
  return null;
}

/** A moment of the URL as a field of local time has it, and back; "" for none. */
export const toLocal = (moment: string | undefined): string => {
  const date = new Date(moment ?? "");
  if (Number.isNaN(date.getTime())) return "";
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
};
export const fromLocal = (text: string): string => {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
};

import type { StatusTone } from "#app/console/ui/status.tsx";
import { type Privilege, READ_EMAILS } from "#server/universal/privileges.ts";

const STATUS_TEXTS: Record<number, string> = {
  200: "OK",
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  408: "Timeout",
  409: "Conflict",
  413: "Too large",
  422: "Invalid",
  429: "Rate limited",
  500: "Server error",
  502: "Mail server error",
};

export const statusLabel = (status: number): { label: string; tone: StatusTone } => ({
  label: `${status} ${STATUS_TEXTS[status] ?? ""}`.trim(),
  tone: status < 400 ? "done" : "failed",
});

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const PAGES: [path: RegExp, what: string, page: string, needs: readonly Privilege[]][] = [
  [new RegExp(`^/emails/(${UUID})(?:/|$)`, "i"), "email", "emails", READ_EMAILS],
  [new RegExp(`^/domains/(${UUID})(?:/|$)`, "i"), "domain", "domains", ["api_controls", "domains"]],
  [new RegExp(`^/webhooks/(${UUID})(?:/|$)`, "i"), "webhook", "webhooks", ["api_controls"]],
  [new RegExp(`^/api-keys/(${UUID})(?:/|$)`, "i"), "API key", "api-keys", ["api_controls"]],
  [/^\/mailboxes\/([^/]+@[^/]+)(?:\/|$)/, "mailbox", "mailboxes", ["view_users"]],
  [/^\/groups\/([^/]+@[^/]+)(?:\/|$)/, "group", "groups", ["view_groups"]],
];

/** The console page of the resource in an API path, and any of the privileges that open it; null if there is none. */
export function pageForPath(
  path: string,
): { what: string; href: string; needs: readonly Privilege[] } | null {
  for (const [pattern, what, page, needs] of PAGES) {
    const name = pattern.exec(path.replaceAll("%40", "@"))?.[1];
    if (name !== undefined) return { what, href: `/console/${page}/${name}`, needs };
  }
  return null;
}

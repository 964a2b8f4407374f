import type { StatusTone } from "#app/console/ui/status.tsx";

import type { Decision, Reason } from "./queries.ts";

export const reasons: Record<Reason, { label: string; tone: StatusTone; sentence: string }> = {
  spam: {
    label: "Spam",
    tone: "waiting",
    sentence: "Its spam score is too high for delivery to Junk.",
  },
  virus: {
    label: "Virus",
    tone: "failed",
    sentence: "A virus scanner flagged it. It wasn’t delivered.",
  },
  moderation: {
    label: "Moderation",
    tone: "info",
    sentence: "It was posted to a moderated group and needs approval.",
  },
};

export const verbs: Record<Decision, Record<"quarantined" | "moderation", string>> = {
  release: { quarantined: "Release", moderation: "Approve" },
  delete: { quarantined: "Delete", moderation: "Reject" },
};

export const verbFor = (decision: Decision, reason: Reason): string =>
  verbs[decision][reason === "moderation" ? "moderation" : "quarantined"];

export const countMessages = (count: number): string =>
  count === 1 ? "1 message" : `${count} messages`;

/** "12.4 KB" */
export function formatSize(octets: number): string {
  if (octets < 1024) return `${octets} bytes`;
  if (octets < 1024 * 1024) return `${(octets / 1024).toFixed(1)} KB`;
  return `${(octets / 1024 / 1024).toFixed(1)} MB`;
}
